xattr -cr /Applications/Helper.app
