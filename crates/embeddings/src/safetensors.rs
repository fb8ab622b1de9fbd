//! Tables of numbers in the format `safetensors`: the length of a JSON header, the header, and the numbers.

use serde_json::Value;

/// Bytes that a header may have.
const HEADER_BYTES: usize = 1 << 20;

/// Rows of numbers, as in the file.
#[derive(Debug)]
pub(crate) struct Table {
    bytes: Vec<u8>,
    start: usize,
    kind: NumberKind,
    rows: usize,
    columns: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum NumberKind {
    F16,
    Bf16,
    F32,
}

impl NumberKind {
    fn bytes(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
        }
    }
}

impl Table {
    /// The first two-dimensional tensor of a file.
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, String> {
        let (length, rest) = bytes.split_first_chunk().ok_or("it is empty")?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let header = rest
            .get(..length)
            .filter(|_| length <= HEADER_BYTES)
            .ok_or("its header is longer than the file")?;
        let header: Value =
            serde_json::from_slice(header).map_err(|error| format!("its header: {error}"))?;
        let tensors = header.as_object().ok_or("its header is no object")?;
        let start = 8 + length;
        let found = tensors.values().find_map(|tensor| tensor_of(tensor, start));
        let (start, kind, rows, columns) = found.ok_or("it has no table of F16, BF16 or F32")?;
        let size = rows
            .checked_mul(columns)
            .and_then(|count| count.checked_mul(kind.bytes()));
        let end = size.and_then(|size| start.checked_add(size));
        if end.is_none_or(|end| end > bytes.len()) || columns == 0 {
            return Err("its table is longer than the file".to_owned());
        }
        Ok(Self {
            bytes,
            start,
            kind,
            rows,
            columns,
        })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Adds a row to a vector; nothing if there is no such row.
    pub(crate) fn add_row(&self, row: usize, vector: &mut [f32]) -> Option<()> {
        let size = self.columns * self.kind.bytes();
        let start = self.start + row.checked_mul(size).filter(|_| row < self.rows)?;
        let bytes = self.bytes.get(start..start + size)?;
        match self.kind {
            NumberKind::F32 => add(vector, bytes.as_chunks().0, |it| f32::from_le_bytes(*it)),
            NumberKind::F16 => add(vector, bytes.as_chunks().0, |it| {
                half(u16::from_le_bytes(*it))
            }),
            NumberKind::Bf16 => add(vector, bytes.as_chunks().0, |it| {
                f32::from_bits(u32::from(u16::from_le_bytes(*it)) << 16)
            }),
        }
        Some(())
    }
}

fn add<const N: usize>(vector: &mut [f32], numbers: &[[u8; N]], read: impl Fn(&[u8; N]) -> f32) {
    for (sum, number) in vector.iter_mut().zip(numbers) {
        *sum += read(number);
    }
}

fn tensor_of(tensor: &Value, start: usize) -> Option<(usize, NumberKind, usize, usize)> {
    let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let shape = tensor.get("shape")?.as_array()?;
    let [rows, columns] = shape.as_slice() else {
        return None;
    };
    let kind = match tensor.get("dtype")?.as_str()? {
        "F16" => NumberKind::F16,
        "BF16" => NumberKind::Bf16,
        "F32" => NumberKind::F32,
        _ => return None,
    };
    let offset = number(tensor.get("data_offsets")?.as_array()?.first()?)?;
    Some((
        start.checked_add(offset)?,
        kind,
        number(rows)?,
        number(columns)?,
    ))
}

/// A number of sixteen bits: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let fraction = u32::from(bits & 0x3ff);
    let magnitude = match exponent {
        // Too small for an exponent: the fraction counts 2^-24ths.
        0 => return f32::from_bits(sign | (f32::from(bits & 0x3ff) / 16_777_216.0).to_bits()),
        0x1f => 0xff << 23 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn halves() {
        for (bits, expected) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3800, 0.5),
            (0x0000, 0.0),
            (0x0001, 2.0_f32.powi(-24)),
            (0x7bff, 65_504.0),
        ] {
            assert!((half(bits) - expected).abs() < f32::EPSILON * expected.abs().max(1e-9));
        }
    }

    #[test]
    fn a_table_is_read_row_by_row() {
        let header = r#"{"embedding.weight":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]}}"#;
        let data = [0x00, 0x3c, 0x00, 0xc0, 0x00, 0x38, 0x00, 0x00];
        let table = Table::read(file(header, &data)).unwrap();
        let mut vector = [0.0; 2];
        table.add_row(0, &mut vector).unwrap();
        table.add_row(1, &mut vector).unwrap();
        assert!(table.add_row(2, &mut vector).is_none());
        assert_eq!(vector.map(|it| format!("{it:.1}")), ["1.5", "-2.0"]);
    }

    #[test]
    fn damaged_files_are_refused() {
        let header = r#"{"a":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]}}"#;
        let good = file(header, &[0; 8]);
        for length in 0..good.len() {
            assert!(Table::read(good[..length].to_vec()).is_err());
        }
        for header in [
            "[]",
            "{}",
            r#"{"a":{"dtype":"I8","shape":[2,2],"data_offsets":[0,8]}}"#,
            r#"{"a":{"dtype":"F32","shape":[18446744073709551615,8],"data_offsets":[0,8]}}"#,
            r#"{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,8]}}"#,
        ] {
            assert!(Table::read(file(header, &[0; 8])).is_err(), "{header}");
        }
    }
}
