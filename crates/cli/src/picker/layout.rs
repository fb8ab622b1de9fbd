//! Where the parts of a picker are in a terminal of some size.

/// Columns from which the preview is beside the list.
const WIDE: usize = 80;
/// Rows from which there is a preview below the list.
const TALL: usize = 9;

/// How the rows of a terminal are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// Rows of the list.
    pub(super) list: usize,
    /// Columns of the list.
    pub(super) list_columns: usize,
    /// Rows and columns of the preview.
    pub(super) preview: (usize, usize),
}

impl Layout {
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        let (columns, rows) = (columns.max(1), rows.max(1));
        let frame = match rows {
            1 => 0,
            2..6 => 1,
            _ => 3,
        };
        let body = rows - frame;
        let mut layout = Self {
            columns,
            rows,
            list: body,
            list_columns: columns,
            preview: (0, 0),
        };
        if columns >= WIDE {
            layout.list_columns = (columns * 2 / 5).clamp(30, 60);
            layout.preview = (body, columns - layout.list_columns - 3);
        } else if body >= TALL {
            layout.preview = (body / 3, columns);
            layout.list = body - body / 3 - 1;
        }
        layout
    }

    /// Whether the preview is beside the list.
    pub(super) fn is_beside(&self) -> bool {
        self.list_columns < self.columns
    }
}
