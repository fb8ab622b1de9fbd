//! The media type of a file.

/// The media type of a file. Bytes, where they are known, decide between text and binary: a name can lie.
pub fn media_type(path: &str, bytes: Option<&[u8]>) -> &'static str {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = extension.to_ascii_lowercase();
    let (text, binary) = (text_type(&extension), binary_type(&extension));
    let (named, fallback) = match bytes {
        None | Some([]) => (text.or(binary), "application/octet-stream"),
        Some(bytes) if is_text(bytes) => (text, "text/plain"),
        Some(_) => (binary, "application/octet-stream"),
    };
    named.unwrap_or(fallback)
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

fn text_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
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
        "txt" => "text/plain",
        "xml" => "application/xml",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "svg" => "image/svg+xml",
        _ => return None,
    })
}

fn binary_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
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
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn bytes_go_before_names() {
        let cases: [(&str, Option<&[u8]>, &str); 9] = [
            ("a/B.PNG", Some(b""), "image/png"),
            ("a/B.PNG", Some(b"\x89PNG"), "image/png"),
            ("x.html", None, "text/html"),
            ("run.sh", Some(b"echo"), "text/x-shellscript"),
            ("run.sh", Some(b"\xff"), "application/octet-stream"),
            ("run.sh", None, "text/x-shellscript"),
            ("LICENSE", Some(b"MIT"), "text/plain"),
            ("LICENSE", None, "application/octet-stream"),
            ("a.png", Some(b"not an image"), "text/plain"),
        ];
        for (path, bytes, expected) in cases {
            assert_eq!(media_type(path, bytes), expected, "{path} {bytes:?}");
        }
    }
}
