//! Approvals by name: what the name meant when it was first used.

use crate::error::StoreError;
use crate::open::{Store, text};

/// The content that an approval by name covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedApproval {
    /// Its digest, as text.
    pub content: String,
    /// What the caller noted about its files.
    pub files: String,
}

impl Store {
    /// What the name of a skill meant when an approval by name was first used; notes `first` if this is that time.
    ///
    /// Nothing removes it: who may change a skill, or revoke approvals, must not decide what a name covers.
    pub async fn named_approval(
        &self,
        skill: &str,
        first: NamedApproval,
    ) -> Result<NamedApproval, StoreError> {
        let skill = skill.to_owned();
        self.run(|pool| async move {
            let insert = "INSERT INTO named_approvals (skill, content, files) VALUES ($1, $2, $3)
                ON CONFLICT (skill) DO NOTHING";
            sqlx::query(insert)
                .bind(&skill)
                .bind(first.content)
                .bind(first.files)
                .execute(&*pool)
                .await?;
            let query = "SELECT content, files FROM named_approvals WHERE skill = $1";
            let row = sqlx::query(query).bind(skill).fetch_one(&*pool).await?;
            Ok(NamedApproval {
                content: text(&row, 0)?,
                files: text(&row, 1)?,
            })
        })
        .await
    }
}
