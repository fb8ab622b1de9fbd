//! A client of registries: [`RegistryClient`] speaks [`crate::wire`] with one of them.

mod answers;
mod cache;
mod error;
mod requests;
mod token;
mod transport;

pub use answers::{Publication, Published, SearchPage};
pub use cache::{CachedAnswer, NoCache, ResponseCache};
pub use error::RegistryError;
pub use requests::RegistryClient;
pub use token::RegistryToken;
