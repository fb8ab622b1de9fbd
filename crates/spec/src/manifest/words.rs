//! The fixed words of a manifest.

/// A closed set of words.
pub trait Word: Copy + Sized + 'static {
    /// Every value.
    const ALL: &'static [Self];
    /// The word itself.
    fn word(self) -> &'static str;

    /// The value that `text` names.
    fn from_word(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == text)
    }
}

/// Declares an enum whose values are words, in documents and in serde.
///
/// ```
/// prowess_spec::words! {
///     /// What to do.
///     Choice {
///         /// This.
///         Yes = "yes",
///         /// That.
///         No = "no",
///     }
/// }
/// use prowess_spec::manifest::Word;
/// assert_eq!(Choice::from_word("no"), Some(Choice::No));
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $crate::manifest::Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)*];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::manifest::Word::word(*self))
            }
        }
    };
}

words! {
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

words! {
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

words! {
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

words! {
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

words! {
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

words! {
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
