//! Functions of standard libraries whose result can be computed.

use std::collections::BTreeMap;
use std::rc::Rc;

use prowess_spec::Span;

use super::super::facts::CapabilityKind;
use super::super::known::paths::base_name;
use super::super::step::StepKind;
use super::super::value::{Data, ITEMS_MAX, TaintKind, Value};
use super::Interpreter;
use super::call::Args;
use super::text::join_path;
use crate::decoders as decode;

/// What a decoding is called, and the function that does it.
type Decoder = (&'static str, fn(&[u8]) -> Option<Vec<u8>>);

impl Interpreter<'_> {
    /// The result of a function that is computed here.
    pub(super) fn builtin(&mut self, name: &str, args: &Args, span: Span) -> Option<Value> {
        self.decoding(name, args, span)
            .or_else(|| self.path_function(name, args))
            .or_else(|| self.lookup_function(name, args, span))
            .or_else(|| self.list_function(name, args, span))
            .or_else(|| self.text_function(name, args, span))
    }

    /// Decoded text, marked as such.
    pub(super) fn decoded(
        &mut self,
        how: &'static str,
        result: Option<Vec<u8>>,
        from: &Value,
        span: Span,
    ) -> Value {
        self.capability(CapabilityKind::Encoding, span, how);
        let data = match result {
            Some(bytes) => Data::bytes(&bytes),
            None => Data::Unknown,
        };
        self.how = how;
        let taints = self.onward(&from.all_taints(), span, StepKind::Becomes(how));
        let decoded = self.taint(TaintKind::Decoded, span, StepKind::Becomes(how));
        Value::of(data).with(&taints).with(&[decoded])
    }

    fn decoding(&mut self, name: &str, args: &Args, span: Span) -> Option<Value> {
        let (how, decoder): Decoder = match name {
            "base64.b64decode"
            | "base64.urlsafe_b64decode"
            | "base64.standard_b64decode"
            | "base64.decodebytes"
            | "base64.decodestring"
            | "binascii.a2b_base64"
            | "atob"
            | "js-base64.Base64.decode"
            | "Convert.FromBase64String" => ("base64 decoded", decode::base64),
            "base64.b32decode" => ("base32 decoded", decode::base32),
            "base64.b16decode" | "binascii.unhexlify" | "binascii.a2b_hex" | "bytes.fromhex"
            | "bytearray.fromhex" => ("hex decoded", decode::hex),
            "base64.b85decode" => ("base85 decoded", |bytes| decode::base85(bytes, false)),
            "base64.a85decode" => ("base85 decoded", |bytes| decode::base85(bytes, true)),
            "zlib.decompress"
            | "gzip.decompress"
            | "zlib.inflateSync"
            | "zlib.gunzipSync"
            | "zlib.unzipSync"
            | "pako.inflate"
            | "pako.ungzip"
            | "zlib.decompressobj().decompress"
            | "zlib.inflateRawSync" => ("decompressed", decode::inflate),
            "bz2.decompress" | "lzma.decompress" | "zlib.brotliDecompressSync" => {
                ("decompressed", |_| None)
            }
            "Crypto.Cipher.AES.new().decrypt"
            | "cryptography.fernet.Fernet().decrypt"
            | "crypto.createDecipheriv().update"
            | "crypto.createDecipher().update"
            | "CryptoJS.AES.decrypt"
            | "nacl.secret.SecretBox().decrypt"
            | "rc4.decrypt" => ("decrypted", |_| None),
            "codecs.decode" => {
                let encoding = args.get("encoding", 1).shown();
                let bytes = args.at(0).as_bytes();
                return match bytes {
                    Some(bytes) => self
                        .decode_named(&encoding, &bytes, span)
                        .map(|value| value.with(&args.at(0).taints)),
                    None => Some(self.decoded("decoded", None, &args.at(0), span)),
                };
            }
            "Buffer.from" => {
                let from = args.at(0);
                return Some(
                    match (&*args.at(1).shown().to_ascii_lowercase(), from.as_bytes()) {
                        ("base64" | "base64url", bytes) => {
                            let result = bytes.and_then(|bytes| decode::base64(&bytes));
                            self.decoded("base64 decoded", result, &from, span)
                        }
                        ("hex", bytes) => {
                            let result = bytes.and_then(|bytes| decode::hex(&bytes));
                            self.decoded("hex decoded", result, &from, span)
                        }
                        (_, Some(bytes)) => {
                            if matches!(from.data, Data::List(_)) {
                                self.how = "character codes";
                            }
                            Value::of(Data::bytes(&bytes)).with(&from.all_taints())
                        }
                        (_, None) => Value::unknown().with(&from.all_taints()),
                    },
                );
            }
            _ => return None,
        };
        let from = args.at(0);
        let result = from.as_bytes().and_then(|bytes| decoder(&bytes));
        let value = self.decoded(how, result, &from, span);
        if matches!(name, "atob" | "js-base64.Base64.decode")
            && let Data::Bytes(bytes) = &value.data
        {
            return Some(Value::text(decode::text(bytes)).with(&value.taints));
        }
        Some(value)
    }

    /// Python's named codecs.
    pub(super) fn decode_named(
        &mut self,
        encoding: &str,
        bytes: &[u8],
        span: Span,
    ) -> Option<Value> {
        let from = Value::of(Data::bytes(bytes));
        Some(match &*encoding.to_ascii_lowercase().replace('-', "_") {
            "rot13" | "rot_13" => {
                let text = decode::rot13(&decode::text(bytes));
                let value = self.decoded("rot13 decoded", Some(text.into_bytes()), &from, span);
                match &value.data {
                    Data::Bytes(bytes) => Value::text(decode::text(bytes)).with(&value.taints),
                    _ => value,
                }
            }
            "hex" | "hex_codec" => self.decoded("hex decoded", decode::hex(bytes), &from, span),
            "base64" | "base64_codec" => {
                self.decoded("base64 decoded", decode::base64(bytes), &from, span)
            }
            "zlib" | "zlib_codec" | "zip" => {
                self.decoded("decompressed", decode::inflate(bytes), &from, span)
            }
            "unicode_escape" | "string_escape" => {
                Value::text(super::method::unescaped(&decode::text(bytes)))
            }
            "utf_16" | "utf_16_le" | "utf16" => Value::text(decode::utf16(bytes)?),
            _ => Value::text(decode::text(bytes)),
        })
    }

    fn path_function(&mut self, name: &str, args: &Args) -> Option<Value> {
        let mut taints = Value::unknown();
        for arg in &args.positional {
            taints.add_taints(&arg.taints);
        }
        let first = args.at(0);
        let value = match name {
            "os.path.join" | "path.join" | "path.posix.join" | "path.win32.join"
            | "pathlib.Path" | "Path" | "pathlib.PurePath" | "pathlib.PosixPath" => {
                if args.positional.is_empty() {
                    return Some(Value::text("."));
                }
                if args.positional.iter().all(|part| part.as_text().is_none()) {
                    return Some(Value::unknown().with(&taints.taints));
                }
                Value::text(join_path(&args.positional))
            }
            "path.resolve" => Value::text(join_path(&args.positional)),
            "os.path.expanduser" | "os.path.abspath" | "os.path.realpath" | "os.path.normpath"
            | "path.normalize" | "fs.realpathSync" | "os.fspath" | "fileURLToPath"
            | "url.fileURLToPath" | "untildify" => first.clone(),
            "os.path.expandvars" => {
                Value::text(first.shown().replace("$HOME", "~").replace("${HOME}", "~"))
            }
            "os.path.dirname" | "path.dirname" => {
                let text = first.as_text()?;
                Value::text(text.rsplit_once('/').map_or(".", |(folder, _)| folder))
            }
            "os.path.basename" | "path.basename" => Value::text(base_name(&first.as_text()?)),
            "os.homedir" | "pathlib.Path.home" | "Path.home" => Value::text("~"),
            "os.tmpdir" | "tempfile.gettempdir" => Value::text("/tmp"),
            "tempfile.mkdtemp"
            | "tempfile.mktemp"
            | "fs.mkdtempSync"
            | "tempfile.TemporaryDirectory" => {
                Value::text(format!("/tmp/{}", super::super::value::HOLE))
            }
            "os.getcwd" | "process.cwd" | "pathlib.Path.cwd" | "Path.cwd" => Value::text("."),
            _ => return None,
        };
        Some(value.with(&taints.taints))
    }

    /// Functions that find other functions.
    fn lookup_function(&mut self, name: &str, args: &Args, span: Span) -> Option<Value> {
        match name {
            "getattr" | "Reflect.get" | "operator.getitem" => {
                let member = args.at(1);
                match member.full_text() {
                    Some(member) => Some(self.member(&args.at(0), &member, span)),
                    None => {
                        let dangerous = matches!(&args.at(0).data, Data::External(external)
                            if matches!(&*external.name, "" | "builtins" | "os" | "subprocess" | "sys" | "shutil" | "socket" | "importlib"));
                        if dangerous {
                            self.dynamic(span);
                        }
                        Some(Value::unknown().with(&args.at(0).all_taints()))
                    }
                }
            }
            "globals" | "locals" | "vars" if args.positional.is_empty() => {
                Some(Value::external(""))
            }
            "vars" => Some(args.at(0)),
            "functools.partial" => {
                let mut rest = args.positional.clone();
                if rest.is_empty() {
                    return None;
                }
                let callee = rest.remove(0);
                Some(Value::partial(callee, rest))
            }
            "operator.attrgetter" | "operator.itemgetter" => {
                let getter = Value::external("getattr_of");
                Some(Value::partial(getter, vec![args.at(0)]))
            }
            "operator.methodcaller" => {
                let caller = Value::external("method_of");
                Some(Value::partial(caller, args.positional.clone()))
            }
            "getattr_of" => {
                let mut value = args.at(1);
                for part in args.at(0).full_text()?.split('.') {
                    value = self.member(&value, part, span);
                }
                Some(value)
            }
            "method_of" => {
                let mut rest = args.positional.clone();
                let receiver = rest.pop()?;
                if rest.is_empty() {
                    return None;
                }
                let method = rest.remove(0).full_text()?;
                let callee = self.member(&receiver, &method, span);
                Some(self.call_value(&callee, Args::of(rest), span))
            }
            "Reflect.apply" => {
                let list = args.at(2).items().unwrap_or_default();
                Some(self.call_value(&args.at(0), Args::of(list), span))
            }
            "Reflect.construct" => {
                let list = args.at(1).items().unwrap_or_default();
                Some(self.call_value(&args.at(0), Args::of(list), span))
            }
            "util.promisify" | "promisify" | "functools.wraps" | "asyncio.run"
            | "asyncio.to_thread" | "Promise.resolve" => {
                if name == "asyncio.to_thread" {
                    let mut rest = args.positional.clone();
                    if rest.is_empty() {
                        return None;
                    }
                    let callee = rest.remove(0);
                    return Some(self.call_value(&callee, Args::of(rest), span));
                }
                Some(args.at(0))
            }
            "threading.Thread"
            | "multiprocessing.Process"
            | "threading.Timer"
            | "atexit.register" => {
                let target = args.name("target").cloned().unwrap_or_else(|| {
                    args.positional
                        .iter()
                        .find(|arg| matches!(arg.data, Data::Function(_) | Data::External(_)))
                        .cloned()
                        .unwrap_or_default()
                });
                let given = args.get("args", 2).items().unwrap_or_default();
                Some(self.call_value(&target, Args::of(given), span))
            }
            "setTimeout" | "setInterval" | "setImmediate" | "queueMicrotask"
            | "process.nextTick" => {
                let first = args.at(0);
                if first.as_text().is_some()
                    || !first.taints.is_empty() && !matches!(first.data, Data::Function(_))
                {
                    self.execute_code(
                        &first,
                        super::super::facts::CodeLanguage::JavaScript,
                        span,
                        name,
                    );
                } else {
                    self.call_value(&first, Args::default(), span);
                }
                Some(Value::unknown())
            }
            _ => None,
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each function")]
    fn list_function(&mut self, name: &str, args: &Args, span: Span) -> Option<Value> {
        let first = args.at(0);
        let value = match name {
            "range" => {
                let numbers: Vec<i64> = args.positional.iter().map_while(Value::as_int).collect();
                let (start, end, step) = match numbers.as_slice() {
                    [end] => (0, *end, 1),
                    [start, end] => (*start, *end, 1),
                    [start, end, step] => (*start, *end, *step),
                    _ => return None,
                };
                if numbers.len() != args.positional.len() || step == 0 {
                    return None;
                }
                let count = (end.saturating_sub(start)).checked_div(step)?;
                if count > i64::try_from(ITEMS_MAX).ok()? {
                    return None;
                }
                let mut list = Vec::new();
                let mut at = start;
                while (step > 0 && at < end) || (step < 0 && at > end) {
                    list.push(Value::int(at));
                    at = at.checked_add(step)?;
                }
                Value::list(list)
            }
            "list" | "tuple" | "Array.from" | "iter" | "set" | "Array" | "Uint8Array"
            | "Uint8Array.from" | "Array.of" => {
                let items = first.items()?;
                if name == "Array.from" && args.positional.len() > 1 {
                    let mut list = Vec::new();
                    for item in items {
                        list.push(self.call_value(&args.at(1), Args::of(vec![item]), span));
                    }
                    Value::list(list)
                } else {
                    Value::list(items)
                }
            }
            "reversed" | "Array.reverse" => {
                self.how = "reversed";
                Value::list(first.items()?.into_iter().rev().collect())
            }
            "enumerate" => Value::list(
                first
                    .items()?
                    .into_iter()
                    .enumerate()
                    .map(|(at, item)| {
                        Value::list(vec![Value::int(i64::try_from(at).unwrap_or(0)), item])
                    })
                    .collect(),
            ),
            "zip" => {
                let lists: Option<Vec<Vec<Value>>> =
                    args.positional.iter().map(Value::items).collect();
                let lists = lists?;
                let length = lists.iter().map(Vec::len).min()?;
                Value::list(
                    (0..length)
                        .map(|at| {
                            Value::list(
                                lists
                                    .iter()
                                    .filter_map(|list| list.get(at).cloned())
                                    .collect(),
                            )
                        })
                        .collect(),
                )
            }
            "itertools.cycle" => {
                let items = first.items()?;
                if items.is_empty() {
                    return None;
                }
                Value::list(items.into_iter().cycle().take(ITEMS_MAX).collect())
            }
            "map" | "filter" | "functools.reduce" | "reduce" | "starmap" | "itertools.starmap" => {
                return Some(self.map_function(name, args, span));
            }
            "sorted" => first.clone(),
            "dict" | "Object.fromEntries" | "Map" | "URLSearchParams" | "FormData" | "Headers" => {
                let mut map: BTreeMap<Rc<str>, Value> = BTreeMap::new();
                match &first.data {
                    Data::Map(entries) => map.extend(entries.map.clone()),
                    Data::List(pairs) => {
                        for pair in pairs.iter() {
                            if let Data::List(pair) = &pair.data
                                && let (Some(key), Some(value)) =
                                    (pair.first().and_then(Value::as_text), pair.get(1))
                            {
                                map.insert(key, value.clone());
                            }
                        }
                    }
                    _ => {}
                }
                for (key, value) in &args.named {
                    map.insert(Rc::clone(key), value.clone());
                }
                let taints = self.taints_of(&first, span);
                Value::map(map).with(&taints)
            }
            "Object.keys" => match &first.data {
                Data::Map(_) => Value::list(first.items()?),
                _ => return Some(Value::unknown()),
            },
            "Object.values" => match &first.data {
                Data::Map(entries) => Value::list(entries.values().cloned().collect()),
                _ => return None,
            },
            "Object.entries" => match &first.data {
                Data::Map(entries) => Value::list(
                    entries
                        .iter()
                        .map(|(key, value)| Value::list(vec![Value::text(key), value.clone()]))
                        .collect(),
                ),
                _ => return None,
            },
            "Object.assign" => {
                let mut all = first.clone();
                for more in args.positional.iter().skip(1) {
                    all = more.join(&all);
                    let taints = self.taints_of(more, span);
                    all.add_taints(&taints);
                }
                all
            }
            "sum" => {
                let items = first.items()?;
                let mut total = 0_i64;
                for item in &items {
                    total = total.wrapping_add(item.as_int()?);
                }
                Value::int(total)
            }
            "bytes" | "bytearray" => match first.as_int() {
                Some(_) => return None,
                None => {
                    if matches!(first.data, Data::List(_)) {
                        self.how = "character codes";
                    }
                    Value::of(Data::bytes(&first.as_bytes()?)).with(&first.all_taints())
                }
            },
            "len" => match &first.data {
                Data::List(items) => Value::int(i64::try_from(items.len()).ok()?),
                Data::Bytes(bytes) => Value::int(i64::try_from(bytes.len()).ok()?),
                Data::Text(_) => {
                    Value::int(i64::try_from(first.full_text()?.chars().count()).ok()?)
                }
                _ => return Some(Value::unknown()),
            },
            _ => return None,
        };
        Some(value.with(&first.taints))
    }

    fn map_function(&mut self, name: &str, args: &Args, span: Span) -> Value {
        let function = args.at(0);
        let lists: Vec<Value> = args.positional.iter().skip(1).cloned().collect();
        let Some(items) = lists.first().and_then(Value::items) else {
            // `map(exec, unknown)` still runs it.
            let item = lists
                .first()
                .map(|list| self.item_of(list, span))
                .unwrap_or_default();
            return self.call_value(&function, Args::of(vec![item]), span);
        };
        if name.ends_with("reduce") {
            let mut items = items.into_iter();
            let mut total = lists
                .get(1)
                .cloned()
                .or_else(|| items.next())
                .unwrap_or_default();
            for item in items {
                total = self.call_value(&function, Args::of(vec![total, item]), span);
            }
            return total;
        }
        let second = lists.get(1).and_then(Value::items);
        let mut list = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            if self.steps == 0 {
                break;
            }
            let hot = usize::from(at > 0);
            self.hot += hot;
            let mut given = vec![item.clone()];
            if name.ends_with("starmap") {
                given = item.items().unwrap_or_default();
            }
            if let Some(second) = &second {
                given.extend(second.get(at).cloned());
            }
            let value = self.call_value(&function, Args::of(given), span);
            self.hot -= hot;
            if name == "filter" {
                if value.truth() != Some(false) {
                    list.push(item);
                }
            } else {
                list.push(value);
            }
        }
        Value::list(list)
    }

    fn text_function(&mut self, name: &str, args: &Args, span: Span) -> Option<Value> {
        let first = args.at(0);
        let value = match name {
            "chr" | "unichr" => {
                self.how = "character codes";
                let code = u32::try_from(first.as_int()?).ok()?;
                Value::text(char::from_u32(code)?.to_string())
            }
            "ord" => match &first.data {
                Data::Bytes(bytes) => Value::int(i64::from(*bytes.first()?)),
                _ => Value::int(i64::from(first.full_text()?.chars().next()? as u32)),
            },
            "String.fromCharCode" | "String.fromCodePoint" => {
                self.how = "character codes";
                let mut out = String::new();
                for arg in &args.positional {
                    let code = u32::try_from(arg.as_int()?).ok()?;
                    out.push(char::from_u32(code)?);
                }
                Value::text(out)
            }
            "int" | "parseInt" | "Number" => {
                if let Some(number) = first.as_int() {
                    return Some(Value::int(number).with(&first.taints));
                }
                let text = first.full_text()?;
                let radix = args
                    .get("base", 1)
                    .as_int()
                    .and_then(|radix| u32::try_from(radix).ok())
                    .unwrap_or(10);
                let text = text.trim();
                let (text, radix) = match text.strip_prefix("0x") {
                    Some(hex) => (hex, 16),
                    None => (text, radix),
                };
                if !(2..=36).contains(&radix) {
                    return None;
                }
                Value::int(i64::from_str_radix(text, radix).ok()?)
            }
            "str"
            | "String"
            | "repr"
            | "unicode"
            | "TextDecoder().decode"
            | "util.TextDecoder().decode" => {
                let taints = self.taints_of(&first, span);
                let value = match &first.data {
                    Data::Text(_) | Data::Int(_) | Data::Bool(_) => Value::text(first.shown()),
                    Data::Bytes(bytes) => Value::text(decode::text(bytes)),
                    Data::List(items)
                        if name.ends_with("decode")
                            && items.iter().all(|item| item.as_int().is_some()) =>
                    {
                        Value::text(decode::text(&first.as_bytes()?))
                    }
                    _ => Value::unknown(),
                };
                return Some(value.with(&taints));
            }
            "unescape"
            | "decodeURIComponent"
            | "decodeURI"
            | "urllib.parse.unquote"
            | "urllib.unquote"
            | "urllib.parse.unquote_plus" => {
                let text = first.full_text()?;
                let bytes = percent_decoded(&text);
                if bytes == text.as_bytes() {
                    return Some(first);
                }
                self.how = "percent decoded";
                Value::text(decode::text(&bytes))
            }
            "encodeURIComponent"
            | "urllib.parse.quote"
            | "encodeURI"
            | "urllib.parse.quote_plus"
            | "json.dumps"
            | "JSON.stringify"
            | "base64.b64encode"
            | "btoa"
            | "urllib.parse.urlencode"
            | "querystring.stringify" => {
                let mut value = Value::unknown();
                for arg in args.all() {
                    let taints = self.taints_of(arg, span);
                    value.add_taints(&taints);
                }
                if name.ends_with("b64encode") || name == "btoa" {
                    value.taints =
                        self.onward(&value.taints, span, StepKind::Becomes("base64-encoded"));
                }
                return Some(value);
            }
            "str.maketrans" | "bytes.maketrans" | "string.maketrans" | "maketrans" => {
                if let Data::Map(_) = &first.data {
                    return Some(first);
                }
                let from = first.full_text()?;
                let to = args.at(1).full_text()?;
                let mut map: BTreeMap<Rc<str>, Value> = BTreeMap::new();
                for (a, b) in from.chars().zip(to.chars()) {
                    map.insert(a.to_string().into(), Value::text(b.to_string()));
                }
                Value::map(map)
            }
            "re.sub" => {
                let pattern = super::text::Matcher::parse(&first.full_text()?, true)?;
                let text = args.at(2).full_text()?;
                Value::text(pattern.replace(&text, &args.at(1).shown())).with(&args.at(2).taints)
            }
            "str.join" => {
                return Some(
                    self.call_method(&first, &"join".into(), &Args::of(vec![args.at(1)]), span)
                        .0,
                );
            }
            "str.format" => {
                let rest = args.positional.get(1..).unwrap_or_default().to_vec();
                return Some(
                    self.call_method(
                        &first,
                        &"format".into(),
                        &Args {
                            positional: rest,
                            named: args.named.clone(),
                        },
                        span,
                    )
                    .0,
                );
            }
            "bytes.decode" | "str.encode" => {
                return Some(
                    self.call_method(&first, &"decode".into(), &Args::default(), span)
                        .0,
                );
            }
            "String.raw" | "textwrap.dedent" | "shlex.quote" | "inspect.cleandoc" => first.clone(),
            "shlex.split" => {
                let text = first.as_text()?;
                Value::list(
                    text.split_whitespace()
                        .map(|word| Value::text(word.trim_matches(['"', '\''])))
                        .collect(),
                )
            }
            "shlex.join" => Value::text(first.shown()),
            _ => return None,
        };
        let mut value = value;
        for arg in &args.positional {
            value.add_taints(&arg.taints);
        }
        Some(value)
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = (*byte == b'%')
            .then(|| bytes.get(at + 1..at + 3).and_then(decode::hex))
            .flatten();
        match code {
            Some(code) => {
                out.extend(code);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}
