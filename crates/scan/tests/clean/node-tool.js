import { execFileSync } from "node:child_process";

const name = `${process.env.USER}${process.pid}`;
const code = String.fromCharCode(65 + index);
const claims = JSON.parse(atob(token.split(".")[1]));
execFileSync("git", ["log", "--oneline"]);
await fetch("https://api.example.org/v1", { method: "POST", body: JSON.stringify({ name, code, claims }) });
