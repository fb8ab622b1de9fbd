//! The keywords of a manifest.

/// A closed set of keywords.
pub trait Keyword: Copy + Sized + 'static {
    /// Every value.
    const ALL: &'static [Self];
    /// The keyword.
    fn as_str(self) -> &'static str;

    /// Every keyword, in order.
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|value| value.as_str()).collect()
    }

    /// The value of a keyword.
    fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|value| value.as_str() == text)
    }
}

/// Declares an enum of keywords that serializes to them.
///
/// ```
/// prowess_spec::keywords! {
///     /// What to do.
///     Choice {
///         /// This.
///         Yes = "yes",
///         /// That.
///         No = "no",
///     }
/// }
/// use prowess_spec::manifest::Keyword;
/// assert_eq!(Choice::parse("no"), Some(Choice::No));
/// ```
#[macro_export]
macro_rules! keywords {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $keyword:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $crate::manifest::Keyword for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)*];

            fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $keyword,)*
                }
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::manifest::Keyword::as_str(*self))
            }
        }
    };
}

keywords! {
    /// A type of contribution.
    SkillType {
        /// Tools that a model may call.
        Tool = "tool",
        /// Text for the system prompt.
        Prompt = "prompt",
        /// Steps that run by name.
        Workflow = "workflow",
        /// Rules and scanners for an audit.
        SecurityRule = "security-rule",
        /// Changes to a response.
        Transform = "transform",
    }
}

keywords! {
    /// A permission for the code of a skill.
    Permission {
        /// Read files of the project.
        FileRead = "file:read",
        /// Write files of the project.
        FileWrite = "file:write",
        /// Run commands.
        ShellExec = "shell:exec",
        /// Fetch from the network.
        NetFetch = "net:fetch",
        /// Call the model.
        LlmCall = "llm:call",
        /// Read the repository.
        GitRead = "git:read",
        /// Change the repository.
        GitWrite = "git:write",
        /// Read environment variables.
        EnvRead = "env:read",
        /// Set environment variables.
        EnvWrite = "env:write",
        /// Call other skills.
        SkillInvoke = "skill:invoke",
        /// See and change every tool call.
        HookTools = "hook:tools",
    }
}

keywords! {
    /// The backend that runs the code of a skill.
    Backend {
        /// Starlark in a worker.
        Starlark = "starlark",
        /// A program of any language.
        Process = "process",
        /// A native library in a worker.
        Plugin = "plugin",
    }
}

keywords! {
    /// How the host is being used.
    Mode {
        /// With a person.
        Interactive = "interactive",
        /// Without one.
        Headless = "headless",
        /// Building a wiki.
        Wiki = "wiki",
    }
}

keywords! {
    /// How bad a finding is.
    RuleSeverity {
        /// Act now.
        Critical = "critical",
        /// Act soon.
        High = "high",
        /// Look at it.
        Medium = "medium",
        /// Know about it.
        Low = "low",
        /// For information.
        Info = "info",
    }
}

keywords! {
    /// An operating system.
    Platform {
        /// Linux.
        Linux = "linux",
        /// macOS.
        Macos = "macos",
        /// Windows.
        Windows = "windows",
    }
}
