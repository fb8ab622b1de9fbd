eval(")1(gol.elosnoc".split("").reverse().join(""));
