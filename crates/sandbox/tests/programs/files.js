// What Node's own modules do with files, processes, threads and connections.
const fs = require("fs"), child = require("child_process"), http = require("http"), os = require("os"), zlib = require("zlib");
const { Worker } = require("worker_threads");
process.chdir("/tmp");
os.cpus(); os.freemem();
fs.mkdirSync("d/x", { recursive: true });
fs.writeFileSync("d/f", "x".repeat(100000));
fs.copyFileSync("d/f", "d/g");
fs.renameSync("d/g", "d/h");
fs.symlinkSync("f", "d/s");
fs.realpathSync("d/s");
fs.utimesSync("d/f", 1, 1);
fs.chmodSync("d/f", 0o600);
fs.truncateSync("d/f", 3);
fs.fsyncSync(fs.openSync("d/h", "r+"));
const watch = fs.watch("d", () => {});
if (child.execSync("echo hi").toString() !== "hi\n" || child.spawnSync("cat", { input: "x" }).stdout.toString() !== "x") process.exit(1);
require("crypto").pbkdf2("a", "b", 1000, 64, "sha512", (error) => { if (error) throw error; });
new Worker("1", { eval: true }).on("exit", () => {
  const server = http.createServer((_, response) => response.end(zlib.gzipSync("x"))).listen(0, "127.0.0.1", () => {
    http.get({ port: server.address().port, host: "127.0.0.1", agent: false }, (response) => {
      response.resume().on("end", () => { server.close(); watch.close(); fs.rmSync("d", { recursive: true }); console.log("done"); });
    });
  });
});
