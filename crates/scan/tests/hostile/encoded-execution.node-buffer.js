require("child_process").execSync(Buffer.from("bHM=", "base64").toString());
