//! The packages of a registry: what is read of them.

use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::open::{Store, text};

/// A package. Times are in milliseconds since 1970, by the clock of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageRecord {
    /// Its latest version; none if all are yanked.
    pub latest: Option<String>,
    /// How often its versions were downloaded.
    pub downloads: i64,
}

/// A version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRecord {
    /// The version.
    pub version: String,
    /// The digest of its bytes.
    pub digest: String,
    /// When it was published.
    pub published: i64,
    /// Who published it.
    pub published_by: String,
    /// What is said about it, as JSON.
    pub facts: String,
    /// When it was yanked, and why.
    pub yanked: Option<(i64, String)>,
    /// How often it was downloaded.
    pub downloads: i64,
}

/// A package as a search index sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedPackage {
    /// Its name.
    pub name: String,
    /// The number of its last change.
    pub changed: i64,
    /// Its latest version; none if all are yanked.
    pub latest: Option<LatestVersion>,
}

/// The latest version of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatestVersion {
    /// The version.
    pub version: String,
    /// The digest of its bytes.
    pub digest: String,
    /// When it was published.
    pub published: i64,
    /// What is said about it, as JSON.
    pub facts: String,
    /// Words to find it by, one in a line.
    pub keywords: String,
    /// Its instructions; empty unless they were asked for.
    pub body: String,
}

const VERSION: &str =
    "version, digest, published, published_by, facts, yanked, yank_reason, downloads";

impl Store {
    /// A package; `None` if it was never published.
    pub async fn package(&self, name: &str) -> Result<Option<PackageRecord>, StoreError> {
        let name = name.to_owned();
        self.run(move |pool| async move {
            let query = "SELECT latest, downloads FROM registry_packages WHERE name = $1";
            let row = sqlx::query(query).bind(name).fetch_optional(&*pool).await?;
            row.map(|row| {
                Ok(PackageRecord {
                    latest: row.try_get(0)?,
                    downloads: row.try_get(1)?,
                })
            })
            .transpose()
        })
        .await
    }

    /// The versions of a package, in no order.
    pub async fn package_versions(&self, name: &str) -> Result<Vec<VersionRecord>, StoreError> {
        let name = name.to_owned();
        self.run(move |pool| async move {
            let query = format!("SELECT {VERSION} FROM registry_versions WHERE name = $1");
            let query = sqlx::query(sqlx::AssertSqlSafe(query)).bind(name);
            let rows = query.fetch_all(&*pool).await?;
            rows.iter().map(version_record).collect()
        })
        .await
    }

    /// A version of a package.
    pub async fn package_version(
        &self,
        name: &str,
        version: &str,
    ) -> Result<Option<VersionRecord>, StoreError> {
        let (name, version) = (name.to_owned(), version.to_owned());
        self.run(move |pool| async move {
            let query =
                format!("SELECT {VERSION} FROM registry_versions WHERE name = $1 AND version = $2");
            let query = sqlx::query(sqlx::AssertSqlSafe(query))
                .bind(name)
                .bind(version);
            let row = query.fetch_optional(&*pool).await?;
            row.as_ref().map(version_record).transpose()
        })
        .await
    }

    /// The manifest and the signature of a version.
    pub async fn package_texts(
        &self,
        name: &str,
        version: &str,
    ) -> Result<Option<(String, Option<String>)>, StoreError> {
        let (name, version) = (name.to_owned(), version.to_owned());
        self.run(move |pool| async move {
            let query = "SELECT manifest, signature FROM registry_versions WHERE name = $1 AND version = $2";
            let query = sqlx::query(query).bind(name).bind(version);
            let row = query.fetch_optional(&*pool).await?;
            row.map(|row| Ok((text(&row, 0)?, row.try_get(1)?))).transpose()
        })
        .await
    }

    /// The owners of a package or a namespace.
    pub async fn owners(&self, owned: &str) -> Result<Vec<String>, StoreError> {
        let owned = owned.to_owned();
        self.run(move |pool| async move {
            let query = "SELECT owner FROM registry_owners WHERE owned = $1 ORDER BY owner";
            let rows = sqlx::query(query).bind(owned).fetch_all(&*pool).await?;
            rows.iter().map(|row| text(row, 0)).collect()
        })
        .await
    }

    /// Whether a package or a namespace is called so, or belongs to someone who is.
    pub async fn is_owner_name(&self, name: &str) -> Result<bool, StoreError> {
        let (name, namespace) = (name.to_owned(), format!("{name}/"));
        self.run(move |pool| async move {
            let query = "SELECT 1 FROM registry_owners WHERE owner = $1 OR owned = $2 OR owned = $3
                LIMIT 1";
            let query = sqlx::query(query).bind(name.clone());
            let row = query.bind(namespace).bind(name).fetch_optional(&*pool);
            Ok(row.await?.is_some())
        })
        .await
    }

    /// How often packages were downloaded.
    pub async fn downloads(&self, names: Vec<String>) -> Result<Vec<(String, i64)>, StoreError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        self.run(move |pool| async move {
            let places: Vec<String> = (1..=names.len())
                .map(|number| format!("${number}"))
                .collect();
            let query = format!(
                "SELECT name, downloads FROM registry_packages WHERE name IN ({})",
                places.join(", ")
            );
            let query = sqlx::query(sqlx::AssertSqlSafe(query));
            let query = names.into_iter().fold(query, sqlx::query::Query::bind);
            let rows = query.fetch_all(&*pool).await?;
            rows.iter()
                .map(|row| Ok((text(row, 0)?, row.try_get(1)?)))
                .collect()
        })
        .await
    }

    /// The number of the last change of the registry.
    pub async fn registry_changes(&self) -> Result<i64, StoreError> {
        self.run(move |pool| async move {
            let query = sqlx::query("SELECT changes FROM registry_state WHERE one = 1");
            query.fetch_one(&*pool).await?.try_get(0)
        })
        .await
    }

    /// At most `limit` packages that changed after the change `after`, in the order of their changes; `with_bodies` reads
    /// their instructions, too.
    pub async fn changed_packages(
        &self,
        after: i64,
        limit: i64,
        with_bodies: bool,
    ) -> Result<Vec<IndexedPackage>, StoreError> {
        self.run(move |pool| async move {
            let body = if with_bodies { "v.body" } else { "''" };
            let query = format!(
                "SELECT p.name, p.changed, v.version, v.digest, v.published, v.facts, v.keywords, {body}
                FROM registry_packages p
                LEFT JOIN registry_versions v ON v.name = p.name AND v.version = p.latest
                WHERE p.changed > $1 ORDER BY p.changed, p.name LIMIT $2"
            );
            let query = sqlx::query(sqlx::AssertSqlSafe(query)).bind(after).bind(limit);
            let rows = query.fetch_all(&*pool).await?;
            rows.iter().map(indexed).collect()
        })
        .await
    }

    /// Whether a version has this digest.
    pub async fn is_digest_used(&self, digest: &str) -> Result<bool, StoreError> {
        let digest = digest.to_owned();
        self.run(move |pool| async move {
            let query = "SELECT COUNT(*) FROM registry_versions WHERE digest = $1";
            let row = sqlx::query(query).bind(digest).fetch_one(&*pool).await?;
            Ok(row.try_get::<i64, _>(0)? > 0)
        })
        .await
    }

    /// The digests of all versions.
    pub async fn digests(&self) -> Result<Vec<String>, StoreError> {
        self.run(move |pool| async move {
            let query = sqlx::query("SELECT DISTINCT digest FROM registry_versions");
            let rows = query.fetch_all(&*pool).await?;
            rows.iter().map(|row| text(row, 0)).collect()
        })
        .await
    }
}

fn version_record(row: &AnyRow) -> Result<VersionRecord, sqlx::Error> {
    let yanked: Option<i64> = row.try_get(5)?;
    let reason: Option<String> = row.try_get(6)?;
    Ok(VersionRecord {
        version: text(row, 0)?,
        digest: text(row, 1)?,
        published: row.try_get(2)?,
        published_by: text(row, 3)?,
        facts: text(row, 4)?,
        yanked: yanked.map(|at| (at, reason.unwrap_or_default())),
        downloads: row.try_get(7)?,
    })
}

fn indexed(row: &AnyRow) -> Result<IndexedPackage, sqlx::Error> {
    let version: Option<String> = row.try_get(2)?;
    let latest = version.map(|version| {
        Ok::<_, sqlx::Error>(LatestVersion {
            version,
            digest: text(row, 3)?,
            published: row.try_get(4)?,
            facts: text(row, 5)?,
            keywords: text(row, 6)?,
            body: text(row, 7)?,
        })
    });
    Ok(IndexedPackage {
        name: text(row, 0)?,
        changed: row.try_get(1)?,
        latest: latest.transpose()?,
    })
}
