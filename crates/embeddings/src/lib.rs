//! Search by meaning, if the user configures it.
//!
//! An [`Embedder`] turns texts into vectors: a [`StaticModel`] from a directory, or an [`EmbeddingsEndpoint`]. A
//! [`MeaningSignal`] ranks skills by how near their vectors are to those of the queries, and search fuses that ranking
//! with its own. Search never needs it: an embedder that fails is reported once, and search goes on without it.

mod embedder;
mod endpoint;
mod safetensors;
mod signal;
mod static_model;
mod tokenizer;
mod vectors;

pub use embedder::{Embedder, EmbeddingError};
pub use endpoint::EmbeddingsEndpoint;
pub use signal::{MeaningSignal, Report};
pub use static_model::StaticModel;
