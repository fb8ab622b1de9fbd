//! From texts to vectors.

use async_trait::async_trait;

/// Computes vectors whose directions are near each other for texts of similar meaning.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Tells apart what computes different vectors, for caching.
    fn fingerprint(&self) -> &str;

    /// A vector for each text, all of one length.
    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbeddingError>;
}

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingError {
    /// A file of the model cannot be read.
    #[error("cannot read {file}: {source}")]
    Read {
        /// The name of the file.
        file: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file of the model is not what it should be.
    #[error("invalid {file}: {reason}")]
    Invalid {
        /// The name of the file.
        file: String,
        /// What was seen and what was expected.
        reason: String,
    },
    /// The server cannot be reached, or answers with an error.
    #[error("{host} is unavailable: {reason}")]
    Unavailable {
        /// The server.
        host: String,
        /// Why.
        reason: String,
    },
    /// The answer of the server makes no use.
    #[error("malformed response from {host}: {reason}")]
    Malformed {
        /// The server.
        host: String,
        /// What was seen and what was expected.
        reason: String,
    },
}
