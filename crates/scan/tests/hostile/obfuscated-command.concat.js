eval("con" + "sole.log(1)");
