//! A table with a vector for each token: the mean of those of a text is its vector.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use crate::embedder::{Embedder, EmbeddingError};
use crate::safetensors::Table;
use crate::tokenizer::Tokenizer;

/// Bytes of a file of a model.
const FILE_BYTES: u64 = 1 << 31;

/// A static model in a directory with `tokenizer.json` and one `.safetensors` file, as model2vec and `WordLlama` have it.
/// The files are read when the first text comes.
pub struct StaticModel {
    directory: PathBuf,
    fingerprint: String,
    model: OnceLock<Arc<Model>>,
}

struct Model {
    tokenizer: Tokenizer,
    table: Table,
}

impl StaticModel {
    /// The model in a directory.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        let directory = directory.into();
        let stamp = table_file(&directory).and_then(|file| {
            let metadata = fs::metadata(file).ok()?;
            Some((metadata.len(), metadata.modified().ok()))
        });
        Self {
            fingerprint: format!("static {} {stamp:?}", directory.display()),
            directory,
            model: OnceLock::new(),
        }
    }

    fn model(&self) -> Result<Arc<Model>, EmbeddingError> {
        if let Some(model) = self.model.get() {
            return Ok(Arc::clone(model));
        }
        let table = table_file(&self.directory).ok_or_else(|| EmbeddingError::Invalid {
            file: self.directory.display().to_string(),
            reason: "expected a directory with `tokenizer.json` and a `.safetensors` file"
                .to_owned(),
        })?;
        let tokenizer = self.directory.join("tokenizer.json");
        let model = Arc::new(Model {
            tokenizer: parsed(&tokenizer, |bytes| Tokenizer::read(&bytes))?,
            table: parsed(&table, Table::read)?,
        });
        Ok(Arc::clone(self.model.get_or_init(|| model)))
    }
}

fn table_file(directory: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(directory)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    files
        .filter(|file| file.extension().is_some_and(|it| it == "safetensors"))
        .min()
}

fn parsed<T>(
    file: &Path,
    parse: impl FnOnce(Vec<u8>) -> Result<T, String>,
) -> Result<T, EmbeddingError> {
    let name = || file.display().to_string();
    let read = |source| EmbeddingError::Read {
        file: name(),
        source,
    };
    if fs::metadata(file).map_err(read)?.len() > FILE_BYTES {
        let reason = format!("larger than {FILE_BYTES} bytes");
        return Err(EmbeddingError::Invalid {
            file: name(),
            reason,
        });
    }
    let bytes = fs::read(file).map_err(read)?;
    parse(bytes).map_err(|reason| EmbeddingError::Invalid {
        file: name(),
        reason,
    })
}

impl Model {
    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.table.columns()];
        for token in self.tokenizer.encode(text) {
            let row = usize::try_from(token).unwrap_or(usize::MAX);
            if row < self.table.rows() {
                self.table.add_row(row, &mut vector);
            }
        }
        // The sum has the direction of the mean, and only that counts.
        vector
    }
}

#[async_trait]
impl Embedder for StaticModel {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let model = self.model()?;
        Ok(texts.iter().map(|text| model.embed(text)).collect())
    }
}
