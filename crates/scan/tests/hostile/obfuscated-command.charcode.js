eval(String.fromCharCode(99,111,110,115,111,108,101));
