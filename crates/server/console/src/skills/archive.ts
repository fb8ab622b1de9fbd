// Archives made in the browser: a zip without compression for a dropped folder, a tar for publishing.

export interface ArchiveFile {
  path: string;
  content: Uint8Array;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(content: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of content) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 255] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}

/** 1 January 1980, the start of time in a zip. */
const ZIP_DATE = 0x0021;
const UTF8_NAMES = 0x0800;

function header(size: number, fields: readonly [width: 2 | 4, value: number][]): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}

export function zip(files: readonly ArchiveFile[]): Blob {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  let directorySize = 0;
  for (const { path, content } of files) {
    const name = new TextEncoder().encode(path);
    const crc = crc32(content);
    const size = content.length;
    const local = header(30, [[4, 0x04034b50], [2, 20], [2, UTF8_NAMES], [2, 0], [2, 0], [2, ZIP_DATE], [4, crc], [4, size], [4, size], [2, name.length], [2, 0]]);
    const entry = header(46, [
      [4, 0x02014b50], [2, 20], [2, 20], [2, UTF8_NAMES], [2, 0], [2, 0], [2, ZIP_DATE], [4, crc], [4, size], [4, size],
      [2, name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, offset],
    ]);
    parts.push(local, name, content);
    directory.push(entry, name);
    offset += local.length + name.length + size;
    directorySize += entry.length + name.length;
  }
  const end = header(22, [[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, directorySize], [4, offset], [2, 0]]);
  return new Blob([...parts, ...directory, end] as BlobPart[], { type: "application/zip" });
}

const BLOCK = 512;

function tarHeader(path: string, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const encoder = new TextEncoder();
  const put = (text: string, at: number) => block.set(encoder.encode(text), at);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  let name = path;
  if (encoder.encode(path).length > 100) {
    // The start of a long path has a field of its own.
    const cut = path.lastIndexOf("/", 150);
    if (cut < 0 || encoder.encode(path.slice(cut + 1)).length > 100) throw new Error(`the path is too long: ${path}`);
    put(path.slice(0, cut), 345);
    name = path.slice(cut + 1);
  }
  put(name, 0);
  put(octal(0o644, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  put(octal(0, 12), 136);
  put("        ", 148);
  put("0", 156);
  put("ustar\0" + "00", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** The same files always give the same bytes before compression. */
export function tar(files: readonly ArchiveFile[]): Blob {
  const parts: Uint8Array[] = [];
  for (const { path, content } of files) {
    parts.push(tarHeader(path, content.length), content);
    const rest = content.length % BLOCK;
    if (rest > 0) parts.push(new Uint8Array(BLOCK - rest));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return new Blob(parts as BlobPart[]);
}

export function gzip(blob: Blob): Promise<Blob> {
  return new Response(blob.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}
