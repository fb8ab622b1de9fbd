//! A writer of zip archives that lies when told to.

use super::deflate;

/// The fields of a header; the list at the end has a few more than the entry itself.
#[derive(Clone, Default)]
pub(crate) struct Head {
    pub(crate) signature: u32,
    pub(crate) made_by: u16,
    pub(crate) needs: u16,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) packed: u32,
    pub(crate) size: u32,
    pub(crate) name: Vec<u8>,
    pub(crate) extra: Vec<u8>,
    pub(crate) comment: Vec<u8>,
    pub(crate) disk: u16,
    pub(crate) attributes: u32,
    /// Where the entry is said to be, if not where it is.
    pub(crate) offset: Option<u32>,
}

/// An entry with its two headers.
#[derive(Clone)]
pub(crate) struct File {
    pub(crate) before: Vec<u8>,
    pub(crate) local: Head,
    pub(crate) content: Vec<u8>,
    pub(crate) after: Vec<u8>,
    pub(crate) central: Head,
    pub(crate) is_listed: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Descriptor {
    Short,
    ShortSigned,
    Long,
    LongSigned,
}

impl File {
    fn new(name: &[u8], data: &[u8], method: u16, mode: u32) -> Self {
        let content = if method == 8 {
            deflate(data)
        } else {
            data.to_vec()
        };
        let local = Head {
            signature: 0x0403_4b50,
            needs: 20,
            flags: 0x800,
            method,
            crc: crc32fast::hash(data),
            packed: content.len().try_into().unwrap(),
            size: data.len().try_into().unwrap(),
            name: name.to_vec(),
            ..Head::default()
        };
        let central = Head {
            signature: 0x0201_4b50,
            made_by: 0x0314,
            attributes: mode << 16,
            ..local.clone()
        };
        Self {
            before: Vec::new(),
            local,
            content,
            after: Vec::new(),
            central,
            is_listed: true,
        }
    }

    pub(crate) fn stored(name: impl AsRef<[u8]>, data: impl AsRef<[u8]>) -> Self {
        Self::new(name.as_ref(), data.as_ref(), 0, 0o100_644)
    }

    pub(crate) fn deflated(name: impl AsRef<[u8]>, data: impl AsRef<[u8]>) -> Self {
        Self::new(name.as_ref(), data.as_ref(), 8, 0o100_644)
    }

    pub(crate) fn directory(name: impl AsRef<[u8]>) -> Self {
        let mut file = Self::new(name.as_ref(), b"", 0, 0o040_755);
        file.central.attributes |= 0x10;
        file
    }

    pub(crate) fn symlink(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Self {
        Self::new(name.as_ref(), target.as_ref(), 0, 0o120_777)
    }

    /// An entry whose content is already packed.
    pub(crate) fn packed(name: &str, content: Vec<u8>, size: u32, crc: u32) -> Self {
        let packed = content.len().try_into().unwrap();
        let file = Self::deflated(name, b"").both(|head| {
            (head.packed, head.size, head.crc) = (packed, size, crc);
        });
        Self { content, ..file }
    }

    pub(crate) fn mode(mut self, mode: u32) -> Self {
        self.central.attributes = mode << 16 | self.central.attributes & 0xffff;
        self
    }

    pub(crate) fn local(mut self, change: impl FnOnce(&mut Head)) -> Self {
        change(&mut self.local);
        self
    }

    pub(crate) fn central(mut self, change: impl FnOnce(&mut Head)) -> Self {
        change(&mut self.central);
        self
    }

    pub(crate) fn both(self, change: impl Fn(&mut Head)) -> Self {
        self.local(&change).central(&change)
    }

    pub(crate) fn change(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Moves the sizes behind the content.
    pub(crate) fn descriptor(mut self, form: Descriptor) -> Self {
        let Head {
            crc, packed, size, ..
        } = self.central;
        let mut after = Vec::new();
        if matches!(form, Descriptor::ShortSigned | Descriptor::LongSigned) {
            after.extend(0x0807_4b50_u32.to_le_bytes());
        }
        after.extend(crc.to_le_bytes());
        for size in [packed, size] {
            match form {
                Descriptor::Short | Descriptor::ShortSigned => after.extend(size.to_le_bytes()),
                Descriptor::Long | Descriptor::LongSigned => {
                    after.extend(u64::from(size).to_le_bytes());
                }
            }
        }
        self.after = after;
        self.local.crc = 0;
        self.local.packed = 0;
        self.local.size = 0;
        self.both(|head| head.flags |= 8)
    }

    /// States the local sizes in a zip64 field, as writers do that do not know them beforehand.
    pub(crate) fn zip64(self) -> Self {
        self.local(|head| {
            let sizes = [u64::from(head.size), u64::from(head.packed)];
            let data: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
            head.extra = extra(1, &data);
            head.size = u32::MAX;
            head.packed = u32::MAX;
        })
    }
}

/// An extra field.
pub(crate) fn extra(id: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    [&id.to_le_bytes(), &length.to_le_bytes(), data].concat()
}

/// What the end record says, where that is not the truth.
#[derive(Clone, Default)]
pub(crate) struct End {
    pub(crate) disk: u16,
    pub(crate) list_disk: u16,
    pub(crate) count_here: Option<u16>,
    pub(crate) count: Option<u16>,
    pub(crate) size: Option<u32>,
    pub(crate) offset: Option<u32>,
    pub(crate) comment: Vec<u8>,
    pub(crate) comment_length: Option<u16>,
}

#[derive(Clone, Default)]
pub(crate) struct Zip {
    pub(crate) prefix: Vec<u8>,
    pub(crate) files: Vec<File>,
    pub(crate) before_list: Vec<u8>,
    pub(crate) after_list: Vec<u8>,
    pub(crate) end: End,
    pub(crate) suffix: Vec<u8>,
}

impl Zip {
    pub(crate) fn of(files: impl IntoIterator<Item = File>) -> Self {
        let files = files.into_iter().collect();
        Self {
            files,
            ..Self::default()
        }
    }

    pub(crate) fn change(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.prefix.clone();
        let mut list = Vec::new();
        let mut count = 0_u16;
        for file in &self.files {
            bytes.extend(&file.before);
            let at = u32::try_from(bytes.len()).unwrap();
            local(&file.local, &mut bytes);
            bytes.extend(&file.content);
            bytes.extend(&file.after);
            if file.is_listed {
                central(&file.central, at, &mut list);
                count = count.wrapping_add(1);
            }
        }
        bytes.extend(&self.before_list);
        let offset = u32::try_from(bytes.len()).unwrap();
        let size = u32::try_from(list.len()).unwrap();
        bytes.extend(list);
        bytes.extend(&self.after_list);
        let end = &self.end;
        bytes.extend(0x0605_4b50_u32.to_le_bytes());
        bytes.extend(end.disk.to_le_bytes());
        bytes.extend(end.list_disk.to_le_bytes());
        bytes.extend(end.count_here.unwrap_or(count).to_le_bytes());
        bytes.extend(end.count.unwrap_or(count).to_le_bytes());
        bytes.extend(end.size.unwrap_or(size).to_le_bytes());
        bytes.extend(end.offset.unwrap_or(offset).to_le_bytes());
        let length = u16::try_from(end.comment.len()).unwrap();
        bytes.extend(end.comment_length.unwrap_or(length).to_le_bytes());
        bytes.extend(&end.comment);
        bytes.extend(&self.suffix);
        bytes
    }
}

pub(crate) fn zip(files: impl IntoIterator<Item = File>) -> Vec<u8> {
    Zip::of(files).bytes()
}

fn common(head: &Head, bytes: &mut Vec<u8>) {
    bytes.extend(head.needs.to_le_bytes());
    bytes.extend(head.flags.to_le_bytes());
    bytes.extend(head.method.to_le_bytes());
    // Midnight of the first of January 1980.
    bytes.extend([0, 0, 0x21, 0]);
    bytes.extend(head.crc.to_le_bytes());
    bytes.extend(head.packed.to_le_bytes());
    bytes.extend(head.size.to_le_bytes());
    bytes.extend(u16::try_from(head.name.len()).unwrap().to_le_bytes());
    bytes.extend(u16::try_from(head.extra.len()).unwrap().to_le_bytes());
}

fn local(head: &Head, bytes: &mut Vec<u8>) {
    bytes.extend(head.signature.to_le_bytes());
    common(head, bytes);
    bytes.extend(&head.name);
    bytes.extend(&head.extra);
}

fn central(head: &Head, at: u32, bytes: &mut Vec<u8>) {
    bytes.extend(head.signature.to_le_bytes());
    bytes.extend(head.made_by.to_le_bytes());
    common(head, bytes);
    bytes.extend(u16::try_from(head.comment.len()).unwrap().to_le_bytes());
    bytes.extend(head.disk.to_le_bytes());
    bytes.extend(0_u16.to_le_bytes());
    bytes.extend(head.attributes.to_le_bytes());
    bytes.extend(head.offset.unwrap_or(at).to_le_bytes());
    bytes.extend(&head.name);
    bytes.extend(&head.extra);
    bytes.extend(&head.comment);
}
