//! The keywords of a configuration.

use prowess_spec::keywords;

keywords! {
    /// The preset of tool names, shapes and texts.
    DialectName {
        /// Our own.
        Prowess = "prowess",
        /// Meerkat's.
        Meerkat = "meerkat",
        /// `RemcoChat`'s.
        RemcoChat = "remcochat",
        /// `VibeTavern`'s.
        VibeTavern = "vibe-tavern",
        /// `RubyLLM`'s.
        RubyLlm = "ruby-llm",
        /// Claude Code's.
        ClaudeCode = "claude-code",
    }
}

keywords! {
    /// Whether the scripts of a skill run.
    Scripts {
        /// Never.
        Off = "off",
        /// After approval.
        Ask = "ask",
        /// In the sandbox, without asking.
        Sandboxed = "sandboxed",
    }
}

keywords! {
    /// The confinement of the code of skills.
    SandboxMode {
        /// Everything that is promised, or it does not run.
        Full = "full",
        /// No confinement: the user trusts the code.
        None = "none",
    }
}

keywords! {
    /// The type of a repository.
    RepositoryType {
        /// A directory.
        Filesystem = "filesystem",
        /// An archive file.
        Archive = "archive",
        /// A git repository.
        Git = "git",
        /// A server with the skills API.
        Http = "http",
        /// A query over a database.
        Sql = "sql",
        /// A package of a registry.
        Registry = "registry",
        /// An MCP server.
        Mcp = "mcp",
    }
}
