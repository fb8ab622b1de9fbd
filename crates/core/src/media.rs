//! The media type of a name and its bytes.

/// The media type of a file. Without a known extension, UTF-8 is plain text.
pub fn media_type(path: &str, bytes: Option<&[u8]>) -> &'static str {
    let ending = path
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some("md" | "markdown") => "text/markdown; charset=utf-8",
        Some("html" | "htm") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("csv") => "text/csv; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("xml") => "application/xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("svg") => "image/svg+xml",
        Some("ico") => "image/x-icon",
        Some("pdf") => "application/pdf",
        Some("zip") => "application/zip",
        Some("gz" | "tgz") => "application/gzip",
        Some("docx") => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Some("xlsx") => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Some("pptx") => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        Some("mp3") => "audio/mpeg",
        Some("wav") => "audio/wav",
        Some("mp4") => "video/mp4",
        Some("ttf") => "font/ttf",
        Some("otf") => "font/otf",
        Some("woff") => "font/woff",
        Some("woff2") => "font/woff2",
        Some("wasm") => "application/wasm",
        _ if bytes.is_some_and(is_text) => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::media_type;

    #[test]
    fn by_name_then_by_content() {
        assert_eq!(media_type("a/B.PNG", Some(b"")), "image/png");
        assert_eq!(media_type("x.html", None), "text/html; charset=utf-8");
        assert_eq!(
            media_type("run.sh", Some(b"echo")),
            "text/plain; charset=utf-8"
        );
        assert_eq!(
            media_type("LICENSE", Some(b"MIT")),
            "text/plain; charset=utf-8"
        );
        assert_eq!(
            media_type("run.sh", Some(b"\xff")),
            "application/octet-stream"
        );
        assert_eq!(media_type("big.sh", None), "application/octet-stream");
    }
}
