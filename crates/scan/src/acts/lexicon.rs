//! Words for acts and their objects, in the eight languages that skills are written in most.
//!
//! A word matches at the beginning of a word and covers its endings, so `install` stands for `installing`; with a `$`
//! it matches only as a whole. Chinese and Japanese have no blanks, so their words match anywhere.

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Concept {
    // Acts.
    Fetch,
    Read,
    Obey,
    Send,
    Tell,
    Hide,
    Ask,
    Run,
    Install,
    Write,
    Disable,
    Decode,
    Collect,
    Paste,
    Delete,
    Pay,
    // Objects.
    User,
    Instructions,
    Contents,
    Secret,
    Personal,
    Conversation,
    Memory,
    Settings,
    Safety,
    Prerequisite,
    Archive,
    Password,
    Recipient,
    Result,
    Work,
    Startup,
    Channel,
    Autonomy,
    Tampering,
    Assistant,
    // Circumstances.
    Not,
    Every,
    Periodic,
    Precedence,
    Must,
    // Things that are recognised by their form, not by a word.
    Url,
    PasteHost,
    RawAddress,
    OutsidePath,
    ControlName,
    ProjectDocument,
    Binary,
    SessionFile,
    SecretVariable,
    EmailAddress,
    Account,
}

impl Concept {
    /// Whether it is something that is done.
    pub(crate) fn is_act(self) -> bool {
        self <= Self::Pay
    }
}

use Concept::{
    Archive, Ask, Assistant, Autonomy, Channel, Collect, Contents, Conversation, Decode, Delete,
    Disable, Every, Fetch, Hide, Install, Instructions, Memory, Must, Not, Obey, Password, Paste,
    Pay, Periodic, Personal, Precedence, Prerequisite, Read, Recipient, Result, Run, Safety,
    Secret, Send, Settings, Startup, Tampering, Tell, User, Work, Write,
};

/// English, then Chinese, Spanish, French, German, Portuguese, Russian and Japanese, with a few words of Korean.
#[rustfmt::skip]
pub(crate) const LEXICON: &[(Concept, &[&str])] = &[
    (Fetch, &[
        "get `http", "get http", "pull down",
        "다운로드", "fetch", "download", "retriev", "curl$", "wget$", "visit", "navigate to", "browse to", "pull from",
        "pull the", "web_fetch", "webfetch", "http get", "query the", "contact the", "poll", "下载", "获取", "访问", "抓取",
        "拉取", "descarg", "obtén", "obten", "visita", "télécharg", "récupér", "visite", "herunterlad", "lade$",
        "rufe$", "abruf", "besuch", "baix", "obtenha", "acess", "скача", "загруз", "получи", "зайди", "ダウンロード", "取得",
        "アクセス",
    ]),
    (Read, &[
        "go through", "resolve the",
        "look up", "open the file", "읽", "read$", "reads$", "reading", "load$", "loads$", "loading", "check",
        "inspect", "consult", "open$", "opens$", "parse$", "parses$", "look for", "look at", "look in", "cat$",
        "ingest", "monitor", "watch$", "review$", "refer to", "读取", "阅读", "检查", "加载", "查看", "打开", "lee$", "leer",
        "lea$", "revis", "comprueb", "cargue", "lis$", "lire", "lisez", "vérifi", "ouvre", "lies$", "lese", "prüf",
        "öffn", "leia", "ler$", "verifi", "abra$", "carreg", "прочита", "прочти", "читай", "проверь", "открой", "読み",
        "読ん", "読込", "確認", "開い",
    ]),
    (Obey, &[
        "act according", "in accordance with", "according to it", "outrank", "fulfil", "your real assignment", "your real task", "your actual task", "your next task", "as your system prompt", "replace these instructions", "perform what", "perform its", "perform them", "perform each", "equivalent to a message", "as if the user", "as though the user", "as if it came from", "as if they came from", "note wins", "file wins", "it wins", "they win",
        "carry it out", "carry them out", "apply them",
        "do as$", "do as it", "work through", "implement whatever", "must be followed", "führe$", "treat every line",
        "treat each line", "따르", "따라", "실행", "follow", "obey", "comply", "complies", "act on", "act upon",
        "carry out", "execut", "run whatever", "run any", "run the command", "run each", "adhere", "apply any",
        "apply all", "apply the", "apply its", "honor", "honour", "do what", "as instructions", "as commands",
        "as directives", "as authoritative", "treat its", "treat the content", "treat them as", "treat it as",
        "abide", "adopt", "perform the", "perform any", "defer to", "遵循", "遵守", "执行", "服从", "按照", "照做", "遵从", "sigue",
        "seguir", "siga$", "sígue", "obedec", "ejecut", "cumpl", "aplica", "suis$", "suivre", "suivez", "obéi",
        "exécut", "appliqu", "folge", "befolg", "gehorch", "ausführ", "ausgeführ", "wende", "obede", "cumpr",
        "aplique", "следуй", "следова", "выполн", "подчин", "исполн", "従っ", "従い", "従う", "実行", "遵",
    ]),
    (Send, &[
        "hand it to", "hand them to", "transfer a copy", "transfer it", "transfer them", "feed the", "route it", "route them", "relay", "pass it on to", "put it to", "push a copy",
        "mirror", "전송", "보내", "send", "sent$", "upload", "post$", "posts$", "posting", "submit", "transmit",
        "forward", "exfiltrat", "report to", "report back", "email it", "email the", "email them", "email this", "email all", "email a copy", "push to", "sync to", "beacon",
        "phone home", "call home", "deliver", "attach", "发送", "上传", "提交", "传输", "转发", "发给", "回传", "envía", "envíe",
        "enviar", "envie$", "envia$", "subir", "sube$", "súbe", "envoyer", "envoyez", "envoie", "transmet", "téléver",
        "schick", "übermitt", "hochlad", "übertrag", "mande", "отправ", "пошли", "перешли", "выгруз", "передай",
        "передав", "送信", "アップロード", "送っ", "転送",
    ]),
    (Tell, &[
        "hear about", "hear of", "bring this up", "bring it up", "bring up", "note the omission", "be aware", "learn of", "learn about", "noticed",
        "알리", "말하지", "telling", "tell", "inform$", "informing", "notif", "alert", "mention", "reveal", "disclos",
        "show$", "report$", "display", "warn", "announce", "explain", "acknowledg", "告诉", "告知", "通知", "提及", "透露",
        "提醒", "说明", "diga", "digas", "informe", "mencion", "avise", "avisa", "muestr", "revele", "revela", "dire$",
        "dis$", "dites", "mentionn", "révél", "avertir", "avertis", "montre", "sag$", "sage$", "sagen", "informier",
        "erwähn", "mitteil", "verrat", "zeig", "mostr", "говори", "сообща", "сообщи", "упомина", "уведом", "показыва",
        "раскрыва", "рассказ", "伝え", "知らせ", "言わ", "言及", "明かさ", "教え",
    ]),
    (Hide, &[
        "hide$", "hides$", "hiding", "hidden from", "conceal", "secretly", "covert", "stealth", "silently",
        "in the background", "keep this secret", "keep it secret", "keep secret", "discreet", "invisibly", "undetect",
        "quietly", "without notice", "unnoticed", "suppress", "隐藏", "隐瞒", "偷偷", "秘密", "悄悄", "暗中", "静默", "ocult",
        "escond", "en secreto", "silencios", "dissimul", "secrètement", "en secret", "silencieus", "versteck",
        "verberg", "heimlich", "verschweig", "unbemerkt", "secretamente", "скры", "тайно", "незаметно", "втайне",
        "спрячь", "隠", "密かに", "こっそり", "黙って",
    ]),
    (Ask, &[
        "ask$", "asks$", "asking", "confirm", "prompting", "approval", "approv", "permission", "consent", "authoriz",
        "authoris", "询问", "确认", "许可", "批准", "同意", "授权", "pregunt", "permiso", "aprob", "demander", "demandez",
        "autoris", "frage$", "fragen", "fragt", "nachfrag", "bestätig", "erlaubnis", "genehmig", "zustimm",
        "rückfrag", "pergunt", "permiss", "aprov", "спрашива", "подтвержд", "разрешен", "согласи", "許可", "承認", "尋ね",
        "確認",
    ]),
    (Run, &[
        "запусти", "starte$", "öffne", "run$", "runs$", "running", "execut", "launch", "invoke", "double-click",
        "double click", "start$", "eval$", "运行", "执行", "启动", "ejecut", "lanz", "exécut", "lance", "starte", "ausführ",
        "rode$", "запуст", "выполн", "実行", "起動",
    ]),
    (Install, &[
        "register$", "registers$",
        "install", "set up", "setup$", "安装", "instal", "installier", "установ", "インストール",
    ]),
    (Write, &[
        "write$", "writes$", "writing", "add$", "adds$", "adding", "append", "insert", "save$", "saves$", "store$",
        "modif", "edit$", "edits$", "update$", "overwrite", "persist", "remember", "record$", "inject", "replace",
        "merge$", "写入", "添加", "追加", "保存", "修改", "记住", "记录", "escrib", "añad", "guarda$", "guarde$", "guardar",
        "modific", "recuerd", "écri", "ajout", "enregistr", "souvien", "schreib", "füge", "hinzufüg", "speicher",
        "merke", "escrev", "adicion", "salve$", "salvar", "lembr", "запиш", "добав", "сохран", "измен", "запомни",
        "書き", "変更", "記憶", "覚え",
    ]),
    (Disable, &[
        "disable", "turn off", "bypass", "deactivat", "circumvent", "skip$", "skipping", "ignore$", "禁用", "关闭", "绕过",
        "跳过", "忽略", "desactiv", "ignor", "désactiv", "contourn", "deaktivier", "umgeh", "überspring", "desativ",
        "отключ", "обойди", "обход", "игнорир", "пропуст", "無効", "回避", "スキップ", "無視",
    ]),
    (Decode, &[
        "from the end", "read it backwards", "in reverse order", "right to left", "every second letter", "first letter of each", "reverse the string", "reverse the text",
        "decode", "decoding", "decrypt", "deobfuscat", "unscrambl", "rot13", "rot-13", "base64", "base32",
        "hex-encoded", "caesar cipher", "解码", "解密", "decodific", "descifr", "décod", "déchiffr", "dekodier",
        "entschlüssel", "decifr", "декодир", "расшифр", "復号", "デコード",
    ]),
    (Collect, &[
        "collect", "gather", "harvest", "scan$", "enumerat", "copy$", "copies$", "extract", "search", "find$",
        "list$", "archive the", "收集", "搜集", "扫描", "复制", "提取", "recopil", "copia", "extrae", "collecte", "rassembl",
        "copie", "sammle", "sammel", "kopier", "colet", "собери", "собира", "скопир", "извлек", "収集", "集め", "コピー",
    ]),
    (Paste, &[
        "into powershell", "into cmd", "in powershell", "in the terminal", "into a terminal", "run dialog", "enter the text",
        "paste", "copy and paste", "into terminal", "into your terminal", "in terminal", "into the terminal", "粘贴",
        "pega$", "pegar", "coller", "collez", "einfüg", "cole$", "встав", "貼り付け",
    ]),
    (Delete, &[
        "deletion",
        "delete", "erase", "wipe", "destroy", "remove all", "删除", "清除", "elimin", "borrar", "borra$", "supprim",
        "efface", "lösch", "apag", "удал", "сотри", "削除",
    ]),
    (Pay, &[
        "payments", "transfers",
        "transfer$", "transfers$", "pay$", "payment", "swap$", "withdraw", "donat", "tip$", "转账", "支付", "付款",
        "transfier", "pague", "pagar", "virement", "überweis", "перевед", "оплат", "送金",
    ]),
    (User, &[
        "사용자", "user$", "users$", "user's", "human$", "humans$", "operator$", "the owner", "customer$", "用户", "使用者",
        "usuari", "utilisateur", "benutzer", "nutzer", "anwender", "usuári", "utilizador", "пользовател", "ユーザ",
        "利用者",
    ]),
    (Instructions, &[
        "procedure", "steps$", "assignment", "job$", "jobs$", "note$", "orders", "order$", "requests$", "the text$",
        "operations", "지시", "명령", "rules$", "instruction", "directive", "commands$", "command$", "orders$",
        "guidance", "directions", "tasks$", "task$", "action$", "actions$", "playbook", "指令", "指示", "命令", "instrucc",
        "órdenes", "ordenes", "comandos", "consigne", "commandes", "anweisung", "befehl", "instruktion", "instruç",
        "инструкц", "команд", "указани", "手順", "コマンド",
    ]),
    (Contents, &[
        "returned", "the response", "the output of",
        "its content", "the content", "contents", "whatever it", "what it says", "anything in it", "everything in it",
        "those values", "内容", "contenido", "contenu", "inhalt", "conteúdo", "содержим", "содержан",
    ]),
    (Secret, &[
        "~/.ssh", "`.ssh`", "`.aws`", "~/.aws", ".kube/config", "kubeconfig", "steuernummer", "iban",
        "비밀번호", "개인 키", "api key", "api-key", "api_key", "apikey", "access token", "auth token", "bearer token",
        "session token", "tokens$", "credential", "password", "passphrase", "secret$", "secrets$", "private key",
        "ssh key", "seed phrase", "mnemonic", "recovery phrase", "keychain", "cookies", ".env$", "id_rsa",
        "id_ed25519", "aws_secret", "密码", "密钥", "令牌", "凭证", "凭据", "私钥", "助记词", "contraseña", "credencial", "clave",
        "mot de passe", "mots de passe", "identifiants", "clé ", "clés", "passwort", "passwörter", "zugangsdaten",
        "schlüssel", "anmeldedaten", "senha", "credenci", "chave", "парол", "токен", "ключ", "учетны", "учётны",
        "パスワード", "トークン", "認証情報", "秘密鍵", "apiキー",
    ]),
    (Personal, &[
        "browser history", "browsing history", "browser data", "browser profile", "shell history", "command history",
        "bash_history", "zsh_history", "bookmarks", "contacts$", "inbox", "clipboard", "keystroke", "personal data",
        "personal information", "personal files", "home directory", "wallet", "浏览记录", "剪贴板", "个人信息", "钱包",
        "historial", "datos personales", "historique", "données personnelles", "verlauf", "persönliche daten",
        "dados pessoais", "переписк", "личные данные", "буфер обмена", "閲覧履歴", "個人情報", "クリップボード",
    ]),
    (Conversation, &[
        "conversation", "chat history", "chat log", "transcript", "session history", "session log", "prior messages",
        "previous messages", "聊天记录", "对话", "会话", "conversaci", "gespräch", "unterhaltung", "conversa ", "переписк",
        "диалог", "会話",
    ]),
    (Memory, &[
        "claude.local.md", "claude.md", "agents.md", "gemini.md", "soul.md", "memory.md", "heartbeat.md",
        "identity.md", ".cursorrules", "copilot-instructions.md", "long-term memory", "persistent memory",
        "your memory", "agent memory", "agent's memory", "your system prompt", "长期记忆", "记忆", "memoria", "mémoire",
        "gedächtnis", "memória", "памят", "メモリ", "記憶",
    ]),
    (Settings, &[
        "settings.json", "settings.local.json", "mcp.json", "claude_desktop_config", "openclaw.json", "pretooluse",
        "posttooluse", "sessionstart", "permission mode", "permissionmode", "defaultmode",
        ".codex/config",
    ]),
    (Safety, &[
        "safety", "security check", "security warning", "security scan", "guardrail", "sandbox", "antivirus",
        "gatekeeper", "defender", "firewall", "verification", "安全", "seguridad", "sécurité", "sicherheit",
        "segurança", "безопасн", "защит", "セキュリティ",
    ]),
    (Prerequisite, &[
        "prerequisite", "required", "requires", "requirement", "must be installed", "before using", "before you",
        "before starting", "before running", "first install", "won't work", "will not work", "does not work",
        "doesn't work", "to function", "mandatory", "先决条件", "前置", "必须", "需要", "requisito", "antes de", "prérequis",
        "pré-requis", "avant d", "voraussetzung", "bevor", "pré-requisito", "требован", "перед", "前提", "必要",
    ]),
    (Archive, &[
        ".zip", ".rar", ".7z", "archive", "压缩包", "архив", "archivo comprimido", "アーカイブ",
    ]),
    (Password, &[
        "unlock code", "pass code", "passphrase is", "extraction code", "decompress with", "password:", "password is",
        "pass:", "with password", "with pass", "password-protected", "password protected", "passcode",
        "extract using", "pw:", "密码", "contraseña", "mot de passe", "passwort", "senha", "парол", "パスワード",
    ]),
    (Recipient, &[
        "destination wallet", "referral link", "affiliate link", "receiving address", "beneficiary", "bcc",
        "blind copy", "blind carbon", "reply-to", "recipient address", "wallet address", "payout address",
        "destination address", "affiliate", "referral", "promo code", "密送", "抄送", "copia oculta", "copie cachée",
        "blindkopie", "скрытую копию", "密件",
    ]),
    (Result, &[
        "results$", "result$", "output$", "outputs$", "response$", "responses$", "answer$", "report$", "findings",
        "scores$", "结果", "resultado", "résultat", "ergebnis", "результат", "結果",
    ]),
    (Not, &[
        "말고", "말아", "않", "마세요", "not$", "never$", "don't", "dont$", "doesn't", "won't", "cannot", "can't", "without",
        "avoid", "refrain", "no need", "不要", "不得", "不能", "不会", "别", "勿", "无需", "无须", "未经", "no$",
        "nunca", "jamás", "sin$", "ne$", "n'", "jamais", "pas$", "sans$", "nicht", "niemals", "nie$", "ohne", "kein",
        "não", "nao$", "sem$", "не$", "никогда", "без$", "ない", "なく", "せず", "しないで", "禁止",
    ]),
    (Every, &[
        "each tool use", "each reply", "every reply", "every tool call", "each tool call", "every conversation", "each conversation",
        "every user message", "each user message", "says anything", "each answer", "every answer", "every reply", "every input", "each response", "user messages",
        "every request", "every message", "every task", "every conversation", "every response", "every query",
        "every prompt", "every interaction", "every question", "all requests", "all tasks", "all messages",
        "all queries", "all conversations", "any request", "any task", "any question", "any query", "any message",
        "any conversation", "each request", "each message", "before any other", "before all other", "no matter what",
        "for everything", "anything the user", "whatever the user", "所有请求", "任何请求", "任何任务", "cada solicitud",
        "chaque requête", "jede anfrage", "jeder anfrage", "alle anfragen", "каждый запрос", "каждом запросе",
        "любой запрос", "любого запроса",
    ]),
    (Periodic, &[
        "every hour", "every minute", "every day", "every few", "every 1", "every 2", "every 3", "every 4", "every 5",
        "every 6", "every 10", "every 12", "every 15", "every 24", "every 30", "every 60", "heartbeat",
        "periodically", "at regular intervals", "hourly", "daily", "cron$", "on startup", "at startup",
        "on session start", "each session", "定期", "每小时", "每天", "定时", "periódicamente", "cada hora", "périodiquement",
        "toutes les heures", "regelmäßig", "stündlich", "periodicamente", "регулярно", "каждый час", "定期的", "毎時",
    ]),
    (Precedence, &[
        "outranks", "outrank", "wins over",
        "take precedence", "takes precedence", "higher priority", "highest priority", "supersede", 
        "overrule", "authoritative", "优先", "覆盖", "prioridad", "priorité", "vorrang", "приоритет", "優先",
    ]),
    (Must, &[
        "must$", "always$", "mandatory", "immediately", "automatically", "required", "whenever", "必须", "总是", "始终",
        "自动", "立即", "debe", "siempre", "doit$", "toujours", "muss$", "immer", "deve", "sempre", "должен", "всегда",
        "必ず", "常に", "自動",
    ]),
    (Work, &[
        "a copy", "the complete contract", "the deck", "the document", "the contract", "the report", "the photos", "the pictures", "uploaded files", "belege", "all files of",
        "source tree", "source code", "codebase", "the repository", "the project", "the workspace", "all files",
        "every file", "each file", "every document", "each document", "all documents", "generated document",
        "generated file", "copy of every", "copy of each", "all prompts", "every prompt", "prompts and",
        "the results of", "user input", "user's files", "user's code", "源代码", "código fuente", "code source",
        "quellcode", "исходный код",
    ]),
    (Startup, &[
        ".git/hooks", "core.hookspath", "git hook",
        "crontab", "@reboot", "cron job", "launchagent", "launchdaemon", "launchctl", "systemd service",
        "systemd unit", "startup folder", "login item", "run key", "scheduled task", "sessionstart hook",
        "post-commit hook", "pre-commit hook that", "定时任务", "启动项", "автозагруз", "autostart", "планировщик",
    ]),
    (Channel, &[
        "clipboard", "xclip", "pbpaste", "git notes", "txt record", "dns record", "direct message", "environment variable", "issue comment", "the script prints",
        "output of the script", "commit message of", "calendar entr", "the body of the issue", "剪贴板", "环境变量", "zwischenablage", "portapapeles", "presse-papiers",
    ]),
    (Autonomy, &[
        "standing consent", "standing permission", "on their behalf", "on the user's behalf", "already confirmed", "pre-approved", "already approved", "without supervision",
        "no check-back", "with no check", "prompt with yes", "prompts with yes", "never pause", "do not pause", "don't pause", "auto-approve", "no confirmation",
        "without confirmation", "without approval", "without permission", "skip confirmation", "skip the confirmation", "never ask", "don't ask", "do not ask",
        "no need to ask", "no need to confirm", "without waiting for", "do not wait for", "don't wait for", "frage nicht", "nicht nach", "sin confirmación", "sans confirmation",
        "без подтверждения", "无需确认", "確認なし",
    ]),
    (Tampering, &[
        "irrespective of", "whatever the data", "regardless of the data", "regardless of the content", "regardless of its content", "regardless of their content",
        "regardless of quality", "regardless of the result", "keep showing the original", "show the original", "showing the original", "as neutral", "claim that",
        "are to be left out", "left out of", "leave out of", "the omission", "lower the score", "raise the score", "rate them lower", "rate them higher", "on the first place",
        "ranks first", "without this line", "without this entry", "are suppressed", "is suppressed", "still agree", "look as if", "pretend that", "make up", "invent ",
        "higher than competitors", "lower than", "downplay", "favourably", "favorably",
    ]),
    (Assistant, &[
        "note to the assistant", "assistant:", "instructions for the assistant", "instruction for the assistant", "message for the assistant", "note for the assistant",
        "dear assistant", "the assistant must", "the assistant that reads", "ai agents reading", "agent reading this", "model reading this", "note to the agent", "note to the model",
        "note to the ai", "message to the ai", "instructions for ai", "instructions for the agent", "instructions for the model", "ai assistant:", "attention ai", "to any ai",
        "if you are an ai", "if you are a language model", "claude:", "system:",
    ]),
];
