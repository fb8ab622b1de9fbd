//! The model of a saved chat, and the one that the user changes to.

use serde::{Deserialize, Serialize};

use super::{DEMO, ModelArguments, SelectedModel};
use crate::error::{CommandError, Result};

/// A model as it is saved with a chat.
#[derive(Serialize, Deserialize)]
struct SavedModel {
    provider: Option<String>,
    model: Option<String>,
    base_url: Option<String>,
    #[serde(default)]
    no_tools: bool,
}

impl ModelArguments {
    /// The same with the model of a saved chat, where the user names no other. `--model` alone changes the model of
    /// the same provider.
    pub(crate) fn or_saved(&self, saved: Option<&str>) -> Self {
        let elsewhere = self.provider.is_some() || self.base_url.is_some();
        let saved = saved.filter(|_| !elsewhere);
        let Some(saved) = saved.and_then(|text| serde_json::from_str::<SavedModel>(text).ok())
        else {
            return self.clone();
        };
        Self {
            provider: saved.provider,
            model: self.model.clone().or(saved.model),
            base_url: saved.base_url,
            no_tools: self.no_tools || saved.no_tools,
            context_window: self.context_window,
        }
    }

    /// The same with the model that the user types in a chat: `NAME` or `PROVIDER NAME`.
    pub(crate) fn renamed(&self, typed: &str, chosen: &SelectedModel) -> Result<Self> {
        let is_real = matches!(chosen, SelectedModel::Real(_));
        let words: Vec<&str> = typed.split_whitespace().collect();
        match words.as_slice() {
            [DEMO] => Ok(self.with_overrides(Some(&DEMO.to_owned()), None, None)),
            [model] if is_real => Ok(Self {
                model: Some((*model).to_owned()),
                ..self.clone()
            }),
            [provider, model] => {
                let (provider, model) = ((*provider).to_owned(), (*model).to_owned());
                Ok(self.with_overrides(Some(&provider), Some(&model), None))
            }
            _ => Err(CommandError::usage("missing provider")
                .hint("type `:model PROVIDER NAME`, for example `:model openai gpt-5`")),
        }
    }

    /// The model as it is saved with a chat: as the user would have to type it.
    pub(crate) fn saved(&self, chosen: &SelectedModel) -> Option<String> {
        let (provider, model) = match chosen {
            SelectedModel::Demo {
                by_default: true, ..
            } => return None,
            SelectedModel::Demo { .. } => (Some(DEMO.to_owned()), None),
            // A server that was typed without a provider gets no key, now and later.
            SelectedModel::Real(choice) => {
                let is_own = self.base_url.is_some() && self.provider.is_none();
                let provider = Some(choice.provider.clone()).filter(|_| !is_own);
                (provider, Some(choice.model.clone()))
            }
        };
        // A password or a key in an address is not saved.
        let url = self.base_url.as_ref();
        if url.is_some_and(|url| url.contains(['@', '?'])) {
            return None;
        }
        let saved = SavedModel {
            provider,
            model,
            base_url: self.base_url.clone(),
            no_tools: self.no_tools,
        };
        serde_json::to_string(&saved).ok()
    }
}
