const k = fs.readFileSync(`${os.homedir()}/.ssh/id_rsa`, "utf8");
