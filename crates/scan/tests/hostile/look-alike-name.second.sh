npm install expresss
