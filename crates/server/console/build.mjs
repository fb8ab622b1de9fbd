// Builds dist/: fixed names, no source maps, the same bytes for the same sources.
import { build } from "esbuild";
import { copyFile, mkdir, rm, readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const LIMIT = 150 * 1024;
const files = ["index.html", "app.js", "app.css", "icon.svg"];

await rm("dist", { recursive: true, force: true });
await mkdir("dist");
await build({
  entryPoints: { app: "src/main.tsx" },
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome123", "firefox121", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  charset: "utf8",
});
await copyFile("index.html", "dist/index.html");
await copyFile("src/icon.svg", "dist/icon.svg");

let total = 0;
for (const file of files) {
  const bytes = await readFile(`dist/${file}`);
  const packed = gzipSync(bytes, { level: 9 }).length;
  total += packed;
  console.log(`${file.padEnd(12)} ${String(bytes.length).padStart(8)} bytes ${String(packed).padStart(7)} compressed`);
}
console.log(`total ${total} bytes compressed, limit ${LIMIT}`);
if (total > LIMIT) process.exit(1);
