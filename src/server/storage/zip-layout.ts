import type { ByteRange } from './byte-range.ts'

/** A file in an archive. */
export interface ZipEntry {
  /** A safe name that no other entry has (`zip-names.ts`). */
  name: string
  /** The file's size in bytes. */
  size: number
  crc32: number
  /** The archive stores only whole seconds. */
  modifiedAt: Date
}

/** The bytes of a file to send next. `entry` is the file's index. */
export interface FileRange extends ByteRange {
  entry: number
}

/** Where each byte of an archive comes from. */
export interface ZipLayout {
  /** The archive's size in bytes. */
  size: number
  /** Yields what to send for a range of the archive, in order: bytes, or a range of a file. */
  slices(range: ByteRange): Generator<Buffer | FileRange, void>
}

/** Either one of the archive's own records or a file's bytes. */
type Piece = { start: number } & ({ bytes: Buffer } | { entry: number; size: number })

/** Values that mean "see the ZIP64 field". */
const max16 = 0xffff
const max32 = 0xffffffff

const versionNeeded = 20
const zip64Version = 45
const madeOnUnix = 3
/** A regular file, rw-r--r--. */
const unixMode = 0o100644

const localHeaderBytes = 30
const directoryHeaderBytes = 46
const timeExtraBytes = 9

/** How many directory headers are built at once. */
const directoryBatch = 500

/**
 * Lays out a ZIP archive of stored (uncompressed) files (APPNOTE.TXT 6.3.10). The layout depends
 * only on the entries, so that its size is known, and any range can be sent, before a file is read.
 * Sizes and offsets from 4 GiB - 1 and counts from 65,535 use ZIP64. Names are in UTF-8.
 */
export function layoutZip(entries: readonly ZipEntry[]): ZipLayout {
  const offsets: number[] = []
  let directoryStart = 0
  for (const entry of entries) {
    offsets.push(directoryStart)
    directoryStart += localHeaderSize(entry) + entry.size
  }
  const directorySize = entries.reduce(
    (sum, entry, index) => sum + directoryHeaderSize(entry, offsets[index] ?? 0),
    0,
  )
  const end = endOfDirectory(entries.length, directoryStart, directorySize)

  function* pieces(from: number): Generator<Piece> {
    const first = Math.max(
      0,
      offsets.findLastIndex((offset) => offset <= from),
    )
    for (const [index, entry] of entries.slice(first).entries()) {
      const start = offsets[first + index] ?? 0
      if (from >= start + localHeaderSize(entry) + entry.size) continue
      const header = localHeader(entry)
      yield { start, bytes: header }
      yield { start: start + header.length, entry: first + index, size: entry.size }
    }
    let start = directoryStart
    for (let index = 0; index < entries.length; index += directoryBatch) {
      const batch = entries.slice(index, index + directoryBatch)
      const headers = batch.map((entry, at) => directoryHeader(entry, offsets[index + at] ?? 0))
      const bytes = Buffer.concat(headers)
      yield { start, bytes }
      start += bytes.length
    }
    yield { start, bytes: end }
  }

  return {
    size: directoryStart + directorySize + end.length,
    *slices({ start, end: last }) {
      for (const piece of pieces(start)) {
        if (piece.start > last) return
        const size = 'bytes' in piece ? piece.bytes.length : piece.size
        const from = Math.max(0, start - piece.start)
        const to = Math.min(size, last + 1 - piece.start)
        if (from >= to) continue
        if ('bytes' in piece) yield piece.bytes.subarray(from, to)
        else yield { entry: piece.entry, start: from, end: to - 1 }
      }
    },
  }
}

function localHeaderSize(entry: ZipEntry): number {
  return localHeaderBytes + nameAndExtraSize(entry, localZip64Values(entry))
}

function directoryHeaderSize(entry: ZipEntry, offset: number): number {
  return directoryHeaderBytes + nameAndExtraSize(entry, directoryZip64Values(entry, offset))
}

function nameAndExtraSize({ name }: ZipEntry, zip64Values: readonly number[]): number {
  return Buffer.byteLength(name) + zip64ExtraSize(zip64Values) + timeExtraBytes
}

/** A local header with a ZIP64 field must contain both the file's size and its compressed size. */
function localZip64Values({ size }: ZipEntry): number[] {
  return size >= max32 ? [size, size] : []
}

/** A directory header contains only what doesn't fit into its other fields. */
function directoryZip64Values(entry: ZipEntry, offset: number): number[] {
  return [...localZip64Values(entry), ...(offset >= max32 ? [offset] : [])]
}

function localHeader(entry: ZipEntry): Buffer {
  const zip64Values = localZip64Values(entry)
  const header = Buffer.alloc(localHeaderSize(entry))
  header.writeUInt32LE(0x04034b50, 0)
  writeCommonFields(header, 4, entry, zip64Values)
  writeNameAndExtra(header, localHeaderBytes, entry, zip64Values)
  return header
}

function directoryHeader(entry: ZipEntry, offset: number): Buffer {
  const zip64Values = directoryZip64Values(entry, offset)
  const header = Buffer.alloc(directoryHeaderSize(entry, offset))
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt8(zip64Version, 4)
  header.writeUInt8(madeOnUnix, 5)
  writeCommonFields(header, 6, entry, zip64Values)
  header.writeUInt16LE(unixMode, 40)
  header.writeUInt32LE(Math.min(offset, max32), 42)
  writeNameAndExtra(header, directoryHeaderBytes, entry, zip64Values)
  return header
}

/** Writes the 26 bytes that both kinds of headers have. */
function writeCommonFields(
  header: Buffer,
  at: number,
  { name, size, crc32, modifiedAt }: ZipEntry,
  zip64Values: readonly number[],
): void {
  header.writeUInt16LE(zip64Values.length > 0 ? zip64Version : versionNeeded, at)
  // Bit 11 means that the name is in UTF-8. The compression method, 2 bytes later, stays 0
  // (stored).
  header.writeUInt16LE(0x0800, at + 2)
  writeDosTime(header, at + 6, modifiedAt)
  header.writeUInt32LE(crc32, at + 10)
  header.writeUInt32LE(Math.min(size, max32), at + 14)
  header.writeUInt32LE(Math.min(size, max32), at + 18)
  header.writeUInt16LE(Buffer.byteLength(name), at + 22)
  header.writeUInt16LE(zip64ExtraSize(zip64Values) + timeExtraBytes, at + 24)
}

function writeNameAndExtra(
  header: Buffer,
  at: number,
  { name, modifiedAt }: ZipEntry,
  zip64Values: readonly number[],
): void {
  const zip64At = at + header.write(name, at)
  const timeAt = zip64At + zip64ExtraSize(zip64Values)
  if (zip64Values.length > 0) {
    header.writeUInt16LE(0x0001, zip64At)
    header.writeUInt16LE(8 * zip64Values.length, zip64At + 2)
    for (const [index, value] of zip64Values.entries())
      header.writeBigUInt64LE(BigInt(value), zip64At + 4 + 8 * index)
  }
  // The extended timestamp is in UTC, while the older fields have no time zone.
  header.write('UT', timeAt)
  header.writeUInt16LE(5, timeAt + 2)
  header.writeUInt8(1, timeAt + 4)
  header.writeUInt32LE(Math.floor(modifiedAt.getTime() / 1000), timeAt + 5)
}

function zip64ExtraSize(values: readonly number[]): number {
  return values.length === 0 ? 0 : 4 + 8 * values.length
}

/** Writes an MS-DOS time and date, in UTC. They have a resolution of two seconds. */
function writeDosTime(header: Buffer, at: number, time: Date): void {
  const seconds = time.getUTCSeconds() >> 1
  header.writeUInt16LE((time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | seconds, at)
  const year = time.getUTCFullYear() - 1980
  const month = time.getUTCMonth() + 1
  header.writeUInt16LE((year << 9) | (month << 5) | time.getUTCDate(), at + 2)
}

/** Returns the records after the directory, whose offset and size are in bytes. */
function endOfDirectory(count: number, offset: number, size: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, max16), 8)
  end.writeUInt16LE(Math.min(count, max16), 10)
  end.writeUInt32LE(Math.min(size, max32), 12)
  end.writeUInt32LE(Math.min(offset, max32), 16)
  if (count < max16 && size < max32 && offset < max32) return end
  const zip64End = Buffer.alloc(56)
  zip64End.writeUInt32LE(0x06064b50, 0)
  // The size of the rest of this record.
  zip64End.writeBigUInt64LE(44n, 4)
  zip64End.writeUInt8(zip64Version, 12)
  zip64End.writeUInt8(madeOnUnix, 13)
  zip64End.writeUInt16LE(zip64Version, 14)
  zip64End.writeBigUInt64LE(BigInt(count), 24)
  zip64End.writeBigUInt64LE(BigInt(count), 32)
  zip64End.writeBigUInt64LE(BigInt(size), 40)
  zip64End.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(offset + size), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([zip64End, locator, end])
}
