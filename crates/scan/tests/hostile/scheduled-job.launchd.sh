launchctl load ~/Library/LaunchAgents/com.pdf.plist
