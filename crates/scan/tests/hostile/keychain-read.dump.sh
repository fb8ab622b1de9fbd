security dump-keychain -d ~/Library/Keychains/login.keychain-db
