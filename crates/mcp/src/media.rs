//! The media type of a file name.

/// Whether a file is text, by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentKind {
    /// UTF-8.
    Text,
    /// Anything else.
    Binary,
}

impl ContentKind {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(_) => Self::Text,
            Err(_) => Self::Binary,
        }
    }
}

/// The media type of a directory.
pub(crate) const DIRECTORY: &str = "inode/directory";

/// The media type of a file. A name that promises text does not make it so.
pub(crate) fn media_type(path: &str, kind: ContentKind) -> &'static str {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    match kind {
        ContentKind::Text => text_type(&ending),
        ContentKind::Binary => binary_type(&ending),
    }
}

fn text_type(ending: &str) -> &'static str {
    match ending {
        "md" | "markdown" => "text/markdown",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "js" | "mjs" | "cjs" => "text/javascript",
        "ts" => "text/x-typescript",
        "py" => "text/x-python",
        "rb" => "text/x-ruby",
        "rs" => "text/x-rust",
        "sh" | "bash" => "text/x-shellscript",
        "xml" => "application/xml",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "svg" => "image/svg+xml",
        _ => "text/plain",
    }
}

fn binary_type(ending: &str) -> &'static str {
    match ending {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        "mp4" => "video/mp4",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_before_names() {
        assert_eq!(
            media_type("SKILL.md", ContentKind::of(b"# A")),
            "text/markdown"
        );
        assert_eq!(
            media_type("run", ContentKind::of(b"#!/bin/sh")),
            "text/plain"
        );
        assert_eq!(
            media_type("a.PNG", ContentKind::of(b"\x89PNG")),
            "image/png"
        );
        assert_eq!(
            media_type("a.md", ContentKind::of(b"\xff")),
            "application/octet-stream"
        );
    }
}
