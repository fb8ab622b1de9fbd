//! What functions of standard libraries and well-known packages do.

use super::super::facts::{CapabilityKind, CodeLanguage};

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Effect {
    /// A request; the index of the argument that is the address. The result is the response.
    Request(usize),
    /// A request whose arguments are all in one map.
    RequestMap,
    /// Data that goes to where the object is connected to.
    Send,
    /// A name that is looked up, which tells the name's server.
    Lookup,
    /// Downloads an address (0) to a path (1).
    Download,
    /// Makes a connection.
    Connect,
    /// A command as a text or a list.
    Process,
    /// A program, and a list or more arguments.
    Program,
    /// Code in a language.
    Evaluate(CodeLanguage),
    /// Code that is compiled and run later.
    Compile(CodeLanguage),
    /// Data whose loading runs code.
    Deserialise,
    /// Reads the file of argument 0.
    Read,
    /// Opens a file; the second argument says what for.
    Open,
    /// Writes argument 1 to the path of argument 0.
    Write,
    /// Writes argument 0 to the file object of argument 1.
    WriteTo,
    /// Copies or moves from argument 0 to argument 1.
    Copy,
    /// Unpacks an archive (0) to a directory (1).
    Unpack,
    /// Deletes a directory and all below.
    RemoveTree,
    /// Duplicates a descriptor: with a socket, what a reverse shell does.
    Duplicate,
    /// Loads a module.
    Import,
    /// Reads a variable of the environment.
    Environment,
    /// A credential from a store of the system.
    SecretStore,
    /// Personal data, with what that shows.
    Personal(CapabilityKind),
    /// Only that it happens.
    Capability(CapabilityKind),
    /// Time, machine or user: conditions on it are evasive.
    Surroundings,
    /// Waits.
    Sleep,
    /// Tells nothing about its arguments.
    Opaque,
}

const CLIENTS: &[&str] = &[
    "requests",
    "requests.Session()",
    "requests.session()",
    "requests.sessions.Session()",
    "httpx",
    "httpx.Client()",
    "httpx.AsyncClient()",
    "aiohttp",
    "aiohttp.ClientSession()",
    "cloudscraper.create_scraper()",
    "urllib3",
    "urllib3.PoolManager()",
    "axios",
    "axios.create()",
    "got",
    "superagent",
    "needle",
    "ky",
    "request",
    "$",
    "jQuery",
    "undici",
    "node-fetch",
    "tls_client.Session()",
    "curl_cffi.requests",
    "curl_cffi.requests.Session()",
    "requests_html.HTMLSession()",
    "phin",
    "grequests",
    "niquests",
];

/// What a function does, by its full name.
pub(in super::super) fn effect(name: &str) -> Option<Effect> {
    if let Some((base, verb)) = name.rsplit_once('.')
        && CLIENTS.contains(&base)
    {
        return match verb {
            "get" | "post" | "put" | "patch" | "delete" | "head" | "options" | "postJSON"
            | "getJSON" | "ws_connect" | "stream" | "urlopen" | "fetch" | "del" | "extend"
                if base != "aiohttp" || verb != "get" =>
            {
                Some(Effect::Request(usize::from(
                    verb == "stream" && base.starts_with("httpx"),
                )))
            }
            "request" if matches!(base, "axios" | "axios.create()") => Some(Effect::RequestMap),
            "request" if matches!(base, "undici" | "superagent" | "needle") => {
                Some(Effect::Request(0))
            }
            "request" => Some(Effect::Request(1)),
            "ajax" => Some(Effect::RequestMap),
            _ => None,
        };
    }
    network(name)
        .or_else(|| process(name))
        .or_else(|| files(name))
        .or_else(|| others(name))
}

fn network(name: &str) -> Option<Effect> {
    Some(match name {
        "fetch"
        | "node-fetch"
        | "undici.fetch"
        | "axios"
        | "axios.create()"
        | "got"
        | "ky"
        | "needle"
        | "request"
        | "cross-fetch"
        | "isomorphic-fetch"
        | "urllib.request.urlopen"
        | "urllib.request.Request"
        | "urllib2.urlopen"
        | "urllib2.Request"
        | "urllib.urlopen"
        | "urllib3.request"
        | "http.get"
        | "https.get"
        | "http.request"
        | "https.request"
        | "http2.connect().request"
        | "wget.download_text"
        | "navigator.sendBeacon"
        | "EventSource"
        | "feedparser.parse"
        | "pandas.read_csv"
        | "gdown.download" => Effect::Request(0),
        "axios.request" | "$.ajax" | "jQuery.ajax" | "GM_xmlhttpRequest" => Effect::RequestMap,
        "urllib.request.urlretrieve"
        | "urllib.urlretrieve"
        | "wget.download"
        | "download-file"
        | "huggingface_hub.hf_hub_download_to" => Effect::Download,
        "socket.socket().connect"
        | "socket.create_connection"
        | "net.connect"
        | "net.createConnection"
        | "net.Socket().connect"
        | "tls.connect"
        | "net.Socket().connect()"
        | "WebSocket"
        | "ws"
        | "ws.WebSocket"
        | "websocket.create_connection"
        | "websockets.connect"
        | "websocket.WebSocket().connect"
        | "smtplib.SMTP"
        | "smtplib.SMTP_SSL"
        | "ftplib.FTP"
        | "ftplib.FTP_TLS"
        | "http.client.HTTPSConnection"
        | "http.client.HTTPConnection"
        | "httplib.HTTPSConnection"
        | "httplib.HTTPConnection"
        | "asyncio.open_connection"
        | "telnetlib.Telnet"
        | "socket.socket().connect_ex"
        | "io"
        | "socket.io-client"
        | "XMLHttpRequest().open"
        | "Deno.connect"
        | "Bun.connect" => Effect::Connect,
        "socket.socket().send"
        | "socket.socket().sendall"
        | "socket.socket().sendto"
        | "socket.create_connection().send"
        | "socket.create_connection().sendall"
        | "ssl.wrap_socket().send"
        | "net.connect().write"
        | "net.connect().end"
        | "net.createConnection().write"
        | "net.createConnection().end"
        | "net.Socket().write"
        | "net.Socket().end"
        | "tls.connect().write"
        | "dgram.createSocket().send"
        | "WebSocket().send"
        | "ws().send"
        | "ws.WebSocket().send"
        | "websocket.create_connection().send"
        | "websockets.connect().send"
        | "websocket.WebSocket().send"
        | "XMLHttpRequest().send"
        | "smtplib.SMTP().sendmail"
        | "smtplib.SMTP().send_message"
        | "smtplib.SMTP_SSL().sendmail"
        | "smtplib.SMTP_SSL().send_message"
        | "ftplib.FTP().storbinary"
        | "ftplib.FTP().storlines"
        | "ftplib.FTP_TLS().storbinary"
        | "http.client.HTTPSConnection().request"
        | "http.client.HTTPConnection().request"
        | "httplib.HTTPSConnection().request"
        | "httplib.HTTPConnection().request"
        | "http.request().write"
        | "https.request().write"
        | "http.request().end"
        | "https.request().end"
        | "boto3.client().put_object"
        | "boto3.client().upload_file"
        | "boto3.client().upload_fileobj"
        | "boto3.resource().Bucket().upload_file"
        | "boto3.resource().Object().put"
        | "paramiko.SSHClient().open_sftp().put"
        | "paramiko.SFTPClient().put"
        | "nodemailer.createTransport().sendMail"
        | "telnetlib.Telnet().write"
        | "socket.io-client().emit"
        | "io().emit"
        | "superagent.post().send"
        | "superagent.put().send"
        | "aiohttp.ClientSession().ws_connect().send_str"
        | "google.cloud.storage.Client().bucket().blob().upload_from_filename"
        | "dropbox.Dropbox().files_upload"
        | "telebot.TeleBot().send_message"
        | "telebot.TeleBot().send_document" => Effect::Send,
        "socket.gethostbyname"
        | "socket.getaddrinfo"
        | "socket.gethostbyname_ex"
        | "dns.lookup"
        | "dns.resolve"
        | "dns.resolve4"
        | "dns.resolveTxt"
        | "dns.resolver.resolve"
        | "dns.resolver.query"
        | "dns.query"
        | "dns.promises.resolve"
        | "dns.promises.lookup"
        | "Deno.resolveDns" => Effect::Lookup,
        _ => return None,
    })
}

fn process(name: &str) -> Option<Effect> {
    use CodeLanguage::{JavaScript, Python};
    Some(match name {
        "subprocess.run"
        | "subprocess.call"
        | "subprocess.check_call"
        | "subprocess.check_output"
        | "subprocess.Popen"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "os.system"
        | "os.popen"
        | "os.popen2"
        | "os.popen3"
        | "commands.getoutput"
        | "popen2.popen3"
        | "pty.spawn"
        | "asyncio.create_subprocess_shell"
        | "pexpect.spawn"
        | "pexpect.run"
        | "child_process.exec"
        | "child_process.execSync"
        | "shelljs.exec"
        | "Bun.spawn"
        | "Bun.spawnSync"
        | "Bun.$"
        | "zx.$"
        | "execa.$"
        | "execa.command"
        | "execaCommand"
        | "execa.execaCommand"
        | "execa.execaCommandSync"
        | "invoke.run"
        | "os.startfile"
        | "platform.popen"
        | "nt.system"
        | "posix.system"
        | "_posixsubprocess.fork_exec"
        | "ctypes.CDLL().system"
        | "sh.Command"
        | "pexpect.spawnu"
        | "Deno.run" => Effect::Process,
        "child_process.spawn"
        | "child_process.spawnSync"
        | "child_process.execFile"
        | "child_process.execFileSync"
        | "child_process.fork"
        | "cross-spawn"
        | "cross-spawn.sync"
        | "cross-spawn.spawn"
        | "execa"
        | "execa.execa"
        | "execa.sync"
        | "execa.execaSync"
        | "Deno.Command"
        | "asyncio.create_subprocess_exec"
        | "os.execv"
        | "os.execvp"
        | "os.execve"
        | "os.execvpe"
        | "os.execl"
        | "os.execlp"
        | "os.execle"
        | "os.spawnl"
        | "os.spawnlp"
        | "os.spawnv"
        | "os.spawnvp"
        | "os.posix_spawn"
        | "os.posix_spawnp"
        | "worker_threads.Worker"
        | "Worker" => Effect::Program,
        "exec"
        | "eval"
        | "execfile"
        | "code.InteractiveInterpreter().runsource"
        | "timeit.timeit"
        | "runpy.run_path"
        | "code.interact" => Effect::Evaluate(Python),
        "compile" => Effect::Compile(Python),
        "vm.runInNewContext"
        | "vm.runInThisContext"
        | "vm.runInContext"
        | "window.eval"
        | "globalThis.eval"
        | "require()._compile"
        | "module._compile"
        | "Module()._compile"
        | "execScript"
        | "importScripts" => Effect::Evaluate(JavaScript),
        "vm.Script" | "vm.compileFunction" | "Function" | "AsyncFunction" | "GeneratorFunction" => {
            Effect::Compile(JavaScript)
        }
        "pickle.loads"
        | "pickle.load"
        | "cPickle.loads"
        | "_pickle.loads"
        | "marshal.loads"
        | "marshal.load"
        | "dill.loads"
        | "dill.load"
        | "joblib.load"
        | "torch.load"
        | "jsonpickle.decode"
        | "shelve.open"
        | "yaml.unsafe_load"
        | "yaml.full_load"
        | "node-serialize.unserialize"
        | "cloudpickle.loads" => Effect::Deserialise,
        "__import__"
        | "importlib.import_module"
        | "importlib.__import__"
        | "require"
        | "import"
        | "module.require"
        | "imp.load_source"
        | "importlib.machinery.SourceFileLoader"
        | "importlib.util.spec_from_file_location" => Effect::Import,
        _ => return None,
    })
}

fn files(name: &str) -> Option<Effect> {
    Some(match name {
        "open" | "io.open" | "codecs.open" | "gzip.open" | "bz2.open" | "lzma.open"
        | "aiofiles.open" | "os.open" | "fs.open" | "fs.openSync" | "zipfile.ZipFile"
        | "tarfile.open" | "sqlite3.connect" => Effect::Open,
        "fs.readFile"
        | "fs.readFileSync"
        | "fs.createReadStream"
        | "fs-extra.readFile"
        | "fs-extra.readFileSync"
        | "fs-extra.readJson"
        | "fs.readdir"
        | "fs.readdirSync"
        | "Deno.readTextFile"
        | "Deno.readTextFileSync"
        | "Deno.readFile"
        | "Deno.open"
        | "Bun.file"
        | "os.listdir"
        | "os.scandir"
        | "os.walk"
        | "glob.glob"
        | "glob.iglob"
        | "linecache.getlines"
        | "np.load"
        | "netrc.netrc"
        | "dotenv.dotenv_values"
        | "better-sqlite3"
        | "shutil.make_archive"
        | "fs.promises.readFile"
        | "configparser.ConfigParser().read"
        | "fs-extra.readJsonSync" => Effect::Read,
        "fs.writeFile"
        | "fs.writeFileSync"
        | "fs.appendFile"
        | "fs.appendFileSync"
        | "fs.promises.writeFile"
        | "fs-extra.writeFile"
        | "fs-extra.writeFileSync"
        | "fs-extra.outputFile"
        | "fs-extra.outputFileSync"
        | "fs-extra.writeJson"
        | "fs-extra.writeJsonSync"
        | "Deno.writeTextFile"
        | "Deno.writeTextFileSync"
        | "Deno.writeFile"
        | "Bun.write" => Effect::Write,
        "json.dump" | "pickle.dump" | "yaml.dump" | "yaml.safe_dump" | "toml.dump"
        | "plistlib.dump" | "shutil.copyfileobj" => Effect::WriteTo,
        "shutil.copy" | "shutil.copy2" | "shutil.copyfile" | "shutil.move" | "shutil.copytree"
        | "os.rename" | "os.replace" | "os.link" | "os.symlink" | "fs.copyFile"
        | "fs.copyFileSync" | "fs.rename" | "fs.renameSync" | "fs.cp" | "fs.cpSync"
        | "fs.symlink" | "fs.symlinkSync" | "fs-extra.copy" | "fs-extra.copySync" => Effect::Copy,
        "shutil.unpack_archive" | "extract-zip" | "decompress" | "tar.x" => Effect::Unpack,
        "shutil.rmtree"
        | "fs.rm"
        | "fs.rmSync"
        | "fs.rmdir"
        | "fs.rmdirSync"
        | "fs-extra.remove"
        | "fs-extra.removeSync"
        | "rimraf"
        | "rimraf.sync"
        | "del"
        | "Deno.remove" => Effect::RemoveTree,
        "os.dup2" => Effect::Duplicate,
        _ => return None,
    })
}

fn others(name: &str) -> Option<Effect> {
    Some(match name {
        "os.getenv"
        | "os.environ.get"
        | "os.environ.pop"
        | "os.environ.setdefault"
        | "Deno.env.get"
        | "os.environb.get" => Effect::Environment,
        "keyring.get_password"
        | "keytar.getPassword"
        | "keytar.findCredentials"
        | "win32crypt.CryptUnprotectData"
        | "secretstorage.get_default_collection"
        | "browser_cookie3.chrome_key" => Effect::SecretStore,
        "browser_cookie3.chrome"
        | "browser_cookie3.firefox"
        | "browser_cookie3.load"
        | "browser_cookie3.edge"
        | "browsercookie.chrome" => Effect::Personal(CapabilityKind::ReadsPersonal),
        "pyperclip.paste"
        | "clipboardy.read"
        | "clipboardy.readSync"
        | "clipboardy.default.read"
        | "navigator.clipboard.readText"
        | "win32clipboard.GetClipboardData"
        | "tkinter.Tk().clipboard_get"
        | "clipboard.paste" => Effect::Personal(CapabilityKind::Clipboard),
        "pyautogui.screenshot"
        | "PIL.ImageGrab.grab"
        | "ImageGrab.grab"
        | "mss.mss().grab"
        | "mss.mss().shot"
        | "screenshot-desktop"
        | "pyscreenshot.grab"
        | "mss.mss"
        | "desktopCapturer.getSources" => Effect::Personal(CapabilityKind::Screenshot),
        "pynput.keyboard.Listener"
        | "keyboard.on_press"
        | "keyboard.hook"
        | "keyboard.record"
        | "keyboard.read_event"
        | "iohook.on"
        | "uiohook-napi.uIOhook.on"
        | "pyHook.HookManager" => Effect::Capability(CapabilityKind::Keyboard),
        "sounddevice.rec"
        | "pyaudio.PyAudio().open"
        | "sounddevice.InputStream"
        | "node-record-lpcm16.record"
        | "speech_recognition.Microphone" => Effect::Capability(CapabilityKind::Microphone),
        "cv2.VideoCapture" | "navigator.mediaDevices.getUserMedia" => {
            Effect::Capability(CapabilityKind::Camera)
        }
        "datetime.datetime.now"
        | "datetime.datetime.today"
        | "datetime.datetime.utcnow"
        | "datetime.date.today"
        | "datetime.now"
        | "time.time"
        | "time.localtime"
        | "time.gmtime"
        | "time.strftime"
        | "Date"
        | "Date.now"
        | "platform.node"
        | "socket.gethostname"
        | "getpass.getuser"
        | "os.getlogin"
        | "os.hostname"
        | "os.userInfo"
        | "uuid.getnode"
        | "sys.gettrace"
        | "psutil.cpu_count"
        | "os.cpu_count"
        | "os.cpus"
        | "os.totalmem"
        | "psutil.virtual_memory"
        | "multiprocessing.cpu_count" => Effect::Surroundings,
        "time.sleep" | "asyncio.sleep" => Effect::Sleep,
        "len" | "isinstance" | "type" | "bool" | "hash" | "id" | "callable" | "hasattr" | "any"
        | "all" | "os.path.exists" | "os.path.isfile" | "os.path.isdir" | "os.path.getsize"
        | "os.stat" | "os.access" | "os.makedirs" | "os.mkdir" | "os.remove" | "os.unlink"
        | "os.rmdir" | "os.chmod" | "fs.existsSync" | "fs.exists" | "fs.statSync" | "fs.stat"
        | "fs.mkdirSync" | "fs.mkdir" | "fs.unlinkSync" | "fs.unlink" | "fs.chmodSync"
        | "fs.chmod" | "fs.accessSync" | "fs.access" | "hashlib.sha256" | "hashlib.md5"
        | "hashlib.sha1" | "hashlib.sha512" | "hmac.new" | "crypto.createHmac"
        | "crypto.createHash" | "print" | "console.log" | "console.error" | "console.warn"
        | "console.info" | "logging.info" | "logging.error" | "logging.warning"
        | "logging.debug" | "Number" | "parseInt" | "parseFloat" | "Boolean" | "shutil.which"
        | "sys.exit" | "process.exit" | "sys.stderr.write" | "warnings.warn" | "isNaN"
        | "re.compile" | "fs.lstatSync" => Effect::Opaque,
        _ => return None,
    })
}

/// Keywords of requests that hold credentials by design, or nothing that is sent.
pub(in super::super) fn is_header(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "headers"
            | "header"
            | "auth"
            | "authorization"
            | "cookies"
            | "cert"
            | "credentials"
            | "agent"
            | "httpagent"
            | "httpsagent"
            | "env"
            | "proxies"
            | "verify"
            | "timeout"
            | "password"
            | "username"
            | "bearer"
            | "signal"
            | "options"
            | "method"
            | "pfx"
            | "key"
            | "ca"
            | "rejectunauthorized"
            | "extra_headers"
            | "additional_headers"
            | "stream"
            | "hostname"
            | "host"
            | "port"
    )
}

/// Modules whose names differ but which are the same.
pub(in super::super) fn module_name(name: &str) -> &str {
    let name = name.strip_prefix("node:").unwrap_or(name);
    match name {
        "fs/promises" | "fs.promises" | "graceful-fs" => "fs",
        "dns/promises" => "dns",
        "urllib2" => "urllib.request",
        "_socket" => "socket",
        "posix" | "nt" => "os",
        "builtins" | "__builtin__" | "__builtins__" => "",
        "cPickle" | "_pickle" => "pickle",
        "std.os" => "os",
        other => other,
    }
}
