//! Archives that are refused, with the kind of the error.

mod links;
mod names;
mod no_archives;
mod tar_headers;
mod tar_layout;
mod tar_records;
mod zip_content;
mod zip_headers;
mod zip_layout;

use super::Row;

/// As [`super::kind`] writes it.
type ProblemName = &'static str;

pub(crate) fn rows() -> Vec<Row<ProblemName>> {
    let tables = [
        names::names(),
        names::collisions(),
        links::rows(),
        no_archives::rows(),
        zip_headers::rows(),
        zip_layout::rows(),
        zip_content::rows(),
        tar_headers::rows(),
        tar_records::rows(),
        tar_layout::rows(),
    ];
    tables.into_iter().flatten().collect()
}
