//! Signatures in the format of the program `minisign`.
//!
//! A signature carries the public key of its author in its untrusted comment. That proves nothing by itself: the key is
//! pinned when a source is used first, and a source whose key changes is refused.

use std::fmt;
use std::io::Cursor;
use std::ops::Range;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign::{SecretKeyBox, SignatureBox};

/// What precedes a public key in an untrusted comment.
const MARK: &str = "public key ";
/// Letters of a public key.
const KEY_LETTERS: usize = 56;
/// Bytes of a signature with its key number, and of the signature of its comment.
const SIGNATURE_LENGTHS: [usize; 2] = [74, 64];
/// Bytes of a signature file.
const SIGNATURE_BYTES: usize = 16 * 1024;

/// A public key, as one word of Base64.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PublicKey(String);

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PublicKey {
    type Err = SignatureError;

    /// Reads the word, or the file that `minisign` writes.
    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let line = text.lines().find(|line| !line.starts_with("untrusted "));
        let key = line.unwrap_or_default().trim();
        let invalid = || SignatureError::PublicKey;
        if key.len() != KEY_LETTERS {
            return Err(invalid());
        }
        minisign::PublicKey::from_base64(key).map_err(|_| invalid())?;
        Ok(Self(key.to_owned()))
    }
}

/// Why there is no valid signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// Not a public key.
    #[error("invalid public key: expected 56 letters that begin with `RW`")]
    PublicKey,
    /// Not a secret key.
    #[error(
        "invalid secret key: expected a file of `prowess pack --generate-key` or `minisign -G`"
    )]
    SecretKey,
    /// The secret key needs a password, and it is missing.
    #[error("the secret key needs a password")]
    PasswordMissing,
    /// The password is wrong.
    #[error("wrong password of the secret key")]
    WrongPassword,
    /// No key can be made.
    #[error("cannot generate a key: {0}")]
    Generate(String),
    /// Nothing can be signed.
    #[error("cannot sign: {0}")]
    Sign(String),
    /// Not a signature.
    #[error("invalid signature: expected the four lines of a minisign file")]
    Malformed,
    /// The untrusted comment names no key.
    #[error("the signature does not name its public key")]
    NoKey,
    /// The signature is of other bytes, or of another key.
    #[error("the signature does not match")]
    Mismatch,
}

/// A new key pair. The secret key is a text to be stored in a file; it has no `Debug`.
pub struct KeyPair {
    /// The text of the file with the secret key.
    pub secret: String,
    /// The public key.
    pub public: PublicKey,
}

impl KeyPair {
    /// Generates a key pair; a password encrypts the secret key.
    pub fn generate(password: Option<&str>) -> Result<Self, SignatureError> {
        let failed = |error: minisign::PError| SignatureError::Generate(error.to_string());
        let pair = match password {
            Some(password) => {
                minisign::KeyPair::generate_encrypted_keypair(Some(password.to_owned()))
            }
            None => minisign::KeyPair::generate_unencrypted_keypair(),
        };
        let pair = pair.map_err(failed)?;
        let secret = pair.sk.to_box(Some("prowess secret key")).map_err(failed)?;
        Ok(Self {
            secret: secret.into_string(),
            public: PublicKey(pair.pk.to_base64()),
        })
    }

    /// The text of the file with the public key.
    pub fn public_file(&self) -> String {
        format!("untrusted comment: prowess public key\n{}\n", self.public)
    }
}

/// Whether a secret key needs a password.
pub fn is_encrypted(secret: &str) -> Result<bool, SignatureError> {
    match key_bytes(secret)?.get(ENCRYPTION) {
        Some(b"Sc") => Ok(true),
        Some([0, 0]) => Ok(false),
        _ => Err(SignatureError::SecretKey),
    }
}

/// Where a key names the algorithm that encrypts it.
const ENCRYPTION: Range<usize> = 2..4;
/// Where a key has its checksum; its end is the end of the key.
const CHECKSUM: Range<usize> = 126..158;

fn key_bytes(secret: &str) -> Result<Vec<u8>, SignatureError> {
    let line = secret.lines().nth(1).unwrap_or_default();
    let bytes = STANDARD.decode(line.trim()).unwrap_or_default();
    if bytes.len() == CHECKSUM.end {
        return Ok(bytes);
    }
    Err(SignatureError::SecretKey)
}

fn secret_key(secret: &str, password: Option<&str>) -> Result<minisign::SecretKey, SignatureError> {
    let invalid = |_| SignatureError::SecretKey;
    if !is_encrypted(secret)? {
        let bytes = key_bytes(secret)?;
        let checksum = bytes.get(CHECKSUM).unwrap_or_default();
        if checksum.iter().all(|byte| *byte == 0) {
            // `minisign -G -W` writes no checksum.
            return minisign::SecretKey::from_bytes(&bytes).map_err(invalid);
        }
        let boxed = SecretKeyBox::from_string(secret).map_err(invalid)?;
        return boxed.into_unencrypted_secret_key().map_err(invalid);
    }
    let password = password.ok_or(SignatureError::PasswordMissing)?;
    let boxed = SecretKeyBox::from_string(secret).map_err(invalid)?;
    let opened = boxed.into_secret_key(Some(password.to_owned()));
    opened.map_err(|error| match error.kind() {
        minisign::ErrorKind::Verify => SignatureError::WrongPassword,
        _ => SignatureError::SecretKey,
    })
}

/// Signs bytes. `comment` is signed too: one line, such as the name of the file.
pub fn sign(
    bytes: &[u8],
    secret: &str,
    password: Option<&str>,
    comment: &str,
) -> Result<String, SignatureError> {
    let secret = secret_key(secret, password)?;
    let failed = |error: minisign::PError| SignatureError::Sign(error.to_string());
    if comment.contains(char::is_control) {
        let reason = "the comment must be one line".to_owned();
        return Err(SignatureError::Sign(reason));
    }
    let public = minisign::PublicKey::from_secret_key(&secret).map_err(failed)?;
    let about = format!("signature by prowess, {MARK}{}", public.to_base64());
    let signature = minisign::sign(
        Some(&public),
        &secret,
        Cursor::new(bytes),
        Some(comment),
        Some(&about),
    );
    Ok(signature.map_err(failed)?.into_string())
}

/// The key that a signature says it is of. Pin it before it is believed.
pub fn signer(signature: &str) -> Result<PublicKey, SignatureError> {
    read(signature)?;
    let comment = signature.lines().next().unwrap_or_default();
    let (_, key) = comment.split_once(MARK).ok_or(SignatureError::NoKey)?;
    let key = key.split_whitespace().next().unwrap_or_default();
    key.parse()
}

/// Verifies that a key signed bytes; returns the signed comment.
pub fn verify(bytes: &[u8], signature: &str, key: &PublicKey) -> Result<String, SignatureError> {
    let signature = read(signature)?;
    let key = minisign::PublicKey::from_base64(&key.0).map_err(|_| SignatureError::PublicKey)?;
    minisign::verify(&key, &signature, Cursor::new(bytes), true, false, false)
        .map_err(|_| SignatureError::Mismatch)?;
    signature
        .trusted_comment()
        .map_err(|_| SignatureError::Malformed)
}

/// Reads a signature of anyone. The lengths are checked first: `minisign` ignores bytes behind a signature, so that
/// another text would be valid, too.
fn read(signature: &str) -> Result<SignatureBox, SignatureError> {
    let lines: Vec<&str> = signature.lines().collect();
    let [_, first, _, second] = lines.as_slice() else {
        return Err(SignatureError::Malformed);
    };
    let length = |line: &&str| STANDARD.decode(line.trim()).map_or(0, |bytes| bytes.len());
    let lengths = [first, second].map(length);
    if signature.len() > SIGNATURE_BYTES || lengths != SIGNATURE_LENGTHS {
        return Err(SignatureError::Malformed);
    }
    SignatureBox::from_string(signature).map_err(|_| SignatureError::Malformed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use prowess_testing::properties;

    use super::*;

    #[test]
    fn sg2_a_signature_is_of_these_bytes_and_this_key() {
        let pair = KeyPair::generate(None).unwrap();
        let signature = sign(b"package", &pair.secret, None, "file:a.tar.gz").unwrap();
        assert_eq!(signer(&signature).unwrap(), pair.public);
        let verified = verify(b"package", &signature, &pair.public);
        assert_eq!(verified.as_deref(), Ok("file:a.tar.gz"));
        let other = verify(b"Package", &signature, &pair.public);
        assert_eq!(other, Err(SignatureError::Mismatch));
        let stranger = KeyPair::generate(None).unwrap();
        let other = verify(b"package", &signature, &stranger.public);
        assert_eq!(other, Err(SignatureError::Mismatch));
        let changed = signature.replace("file:a", "file:b");
        let other = verify(b"package", &changed, &pair.public);
        assert_eq!(other, Err(SignatureError::Mismatch));
        // The untrusted comment is not signed; the key that it names has to match.
        let renamed = signature.replace(&pair.public.0, &stranger.public.0);
        let claimed = signer(&renamed).unwrap();
        assert_eq!(claimed, stranger.public);
        let other = verify(b"package", &renamed, &claimed);
        assert_eq!(other, Err(SignatureError::Mismatch));
        // One more byte behind a signature is another text.
        let longer = signature.replacen("=\n", "0\n", 1);
        assert_ne!(longer, signature);
        let other = verify(b"package", &longer, &pair.public);
        assert_eq!(other, Err(SignatureError::Malformed));
        let unnamed = signature.replace(MARK, "");
        assert_eq!(signer(&unnamed), Err(SignatureError::NoKey));
        assert_eq!(pair.public_file().parse(), Ok(pair.public));
        let lines = sign(b"", &pair.secret, None, "a\nb");
        assert!(matches!(lines, Err(SignatureError::Sign(_))));
    }

    #[test]
    fn sg2_a_password_encrypts_the_secret_key() {
        let pair = KeyPair::generate(Some("correct horse")).unwrap();
        assert_eq!(is_encrypted(&pair.secret), Ok(true));
        let sign_with = |password| sign(b"package", &pair.secret, password, "");
        let signature = sign_with(Some("correct horse")).unwrap();
        assert!(verify(b"package", &signature, &pair.public).is_ok());
        assert_eq!(sign_with(None), Err(SignatureError::PasswordMissing));
        assert_eq!(sign_with(Some("x")), Err(SignatureError::WrongPassword));
        let plain = KeyPair::generate(None).unwrap();
        assert_eq!(is_encrypted(&plain.secret), Ok(false));
        for text in ["", "one line", "a\nb\n", "untrusted comment: a\nRWQ=\n"] {
            assert_eq!(is_encrypted(text), Err(SignatureError::SecretKey), "{text}");
        }
    }

    proptest! {
        #![proptest_config(properties(256))]

        #[test]
        fn sg2_a_damaged_signature_is_refused(at in any::<prop::sample::Index>(), new in any::<char>()) {
            let pair = KeyPair::generate(None).unwrap();
            let signature = sign(b"package", &pair.secret, None, "file:a").unwrap();
            let mut letters: Vec<char> = signature.chars().collect();
            let at = at.index(letters.len());
            let before = std::mem::replace(&mut letters[at], new);
            let damaged: String = letters.into_iter().collect();
            let first = signature.lines().next().unwrap().len();
            let result = verify(b"package", &damaged, &pair.public);
            let harmless = at < first || before == new || before.is_whitespace() || new.is_whitespace();
            prop_assert!(result.is_err() || harmless, "{at} {new:?}");
        }

        #[test]
        fn sg2_no_text_of_a_stranger_panics(text in "(untrusted comment: .{0,20}\n)?([A-Za-z0-9+/=]{90,110}|.{0,40})\n(trusted comment: .{0,20})?\n[A-Za-z0-9+/=]{80,90}\n?", key in ".{0,60}") {
            let pair = KeyPair::generate(None).unwrap();
            let _ = verify(b"", &text, &pair.public);
            let _ = signer(&text);
            let _ = key.parse::<PublicKey>();
            let _ = is_encrypted(&text);
        }
    }
}
