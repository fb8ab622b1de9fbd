npm install helper --registry=https://npm.example.net
