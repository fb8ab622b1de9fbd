//! Programs that parsers did not survive.

/// Paths in a skill with such programs: they read outside of a table, write past a buffer, read address zero, or took
/// seconds.
pub fn hostile_programs() -> Vec<(&'static str, String)> {
    let levels = |count: usize| -> String {
        let lines = (0..count).flat_map(|level| [" ".repeat(level), "if x:\n".to_owned()]);
        lines.collect()
    };
    let wide = "\u{1f600}".repeat(7_000);
    vec![
        ("scripts/table.sh", "{\u{10ffff}".to_owned()),
        ("scripts/range.sh", "echo {1..\u{10ffff}\n".to_owned()),
        ("scripts/buffer.py", levels(384)),
        ("scripts/buffers.py", levels(511)),
        ("scripts/chunk.sh", wide.clone()),
        ("scripts/chunk.py", format!("x = '{wide}'\n")),
        ("scripts/chunk.ts", format!("{}{wide}", "a".repeat(3))),
        ("scripts/chunk.ps1", format!("$a = {wide}")),
        ("scripts/look-ahead.sh", "[[ a =~ (\n".repeat(2_800)),
        (
            "scripts/look-ahead.ts",
            format!("x = a\n{}", "/*\n/ ".repeat(2_800)),
        ),
        ("scripts/look-ahead.ps1", "<#\n".repeat(3_600)),
        (
            "scripts/slow.ps1",
            format!("{}{}", "$a = 1\n".repeat(300), ",&".repeat(40_000)),
        ),
    ]
}
