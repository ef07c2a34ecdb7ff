import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import yauzl from 'yauzl'
import { zipNames } from '../../shared/rules/files/zip-names.ts'
import { layoutZip, type ZipEntry, type ZipLayout } from './zip-layout.ts'

const GiB = 2 ** 30
const execute = promisify(execFile)

interface File {
  name: string
  bytes: Buffer
  modifiedAt: Date
}

function entryOf({ name, bytes, modifiedAt }: File): ZipEntry {
  return { name, size: bytes.length, crc32: crc32(bytes), modifiedAt }
}

/** Returns a range of the archive, by default all of it. */
function readArchive(files: readonly File[], layout: ZipLayout, start = 0, end = layout.size - 1) {
  const pieces: Buffer[] = []
  for (const slice of layout.slices({ start, end })) {
    if (Buffer.isBuffer(slice)) pieces.push(slice)
    else pieces.push(files[slice.entry]?.bytes.subarray(slice.start, slice.end + 1) as Buffer)
  }
  return Buffer.concat(pieces)
}

function makeArchive(files: readonly File[]): Buffer {
  return readArchive(files, layoutZip(files.map(entryOf)))
}

/** Calls `visit` for each entry, and reads the next one when it resolves. */
async function readDirectory(zip: yauzl.ZipFile, visit: (entry: yauzl.Entry) => Promise<void>) {
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', resolve)
    zip.on('entry', (entry: yauzl.Entry) => {
      visit(entry).then(() => zip.readEntry(), reject)
    })
    zip.readEntry()
  })
}

async function readWithYauzl(archive: Buffer): Promise<File[]> {
  const zip = await yauzl.fromBufferPromise(archive, { lazyEntries: true, strictFileNames: true })
  const files: File[] = []
  await readDirectory(zip, async (entry) => {
    const stream = await zip.openReadStreamPromise(entry)
    const bytes = Buffer.concat(await stream.toArray())
    expect(crc32(bytes)).toBe(entry.crc32)
    files.push({ name: entry.fileName, bytes, modifiedAt: entry.getLastModDate() })
  })
  return files
}

async function readWithZipJs(archive: Buffer): Promise<File[]> {
  const reader = new ZipReader(new Uint8ArrayReader(archive), {
    useWebWorkers: false,
    checkSignature: true,
  })
  const files: File[] = []
  for (const entry of await reader.getEntries()) {
    if (entry.directory) throw new Error(`${entry.filename} is a directory`)
    const bytes = Buffer.from(await entry.getData(new Uint8ArrayWriter()))
    files.push({ name: entry.filename, bytes, modifiedAt: entry.lastModDate })
  }
  return files
}

const date = fc
  .date({
    noInvalidDate: true,
    min: new Date('1980-01-02T00:00:00Z'),
    max: new Date('2037-12-31T00:00:00Z'),
  })
  .map((time) => new Date(Math.floor(time.getTime() / 1000) * 1000))
const files = fc
  .array(
    fc.record({
      name: fc.string({ unit: 'grapheme', maxLength: 100 }),
      bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      modifiedAt: date,
    }),
    { maxLength: 12 },
  )
  .map((list) => {
    const names = zipNames(list.map(({ name }) => name))
    return list.map((file, index): File => ({ ...file, name: names[index] ?? '' }))
  })

describe('an archive', () => {
  it('of any files is read by two readers', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (list) => {
        const archive = makeArchive(list)
        expect(await readWithYauzl(archive)).toEqual(list)
        expect(await readWithZipJs(archive)).toEqual(list)
      }),
    )
  })

  it('is the same, however its ranges are divided', () => {
    fc.assert(
      fc.property(files, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (list, cuts) => {
        const layout = layoutZip(list.map(entryOf))
        const whole = makeArchive(list)
        expect(layout.size).toBe(whole.length)
        const starts = [0, ...cuts.map((cut) => Math.floor(cut * layout.size))]
        const sortedStarts = [...new Set(starts)]
          .filter((at) => at < layout.size)
          .sort((a, b) => a - b)
        const ranges = sortedStarts.map((start, index) =>
          readArchive(list, layout, start, (sortedStarts[index + 1] ?? layout.size) - 1),
        )
        expect(Buffer.concat(ranges).equals(whole)).toBe(true)
      }),
    )
  })

  const emptyFiles = (count: number) =>
    Array.from({ length: count }, (_, index): File => {
      return { name: `${index}`, bytes: Buffer.alloc(0), modifiedAt: new Date(1_800_000_000_000) }
    })

  it('uses ZIP64 only from 65,535 entries, and is read with as many', async () => {
    const zip64Signature = Buffer.from('504b0606', 'hex')
    const count = 65_535
    expect(makeArchive(emptyFiles(count - 1)).includes(zip64Signature)).toBe(false)
    const archive = makeArchive(emptyFiles(count))
    expect(archive.includes(zip64Signature)).toBe(true)
    const zip = await yauzl.fromBufferPromise(archive, { lazyEntries: true })
    let readCount = 0
    await readDirectory(zip, async ({ fileName }) => {
      if (fileName !== `${readCount}`) throw new Error(`${fileName} is not ${readCount}`)
      readCount += 1
    })
    expect(readCount).toBe(count)
  })
})

/** Reads an archive whose files contain only zeros, without keeping them in memory. */
class SparseReader extends yauzl.RandomAccessReader {
  readonly #layout: ZipLayout
  constructor(layout: ZipLayout) {
    super()
    this.#layout = layout
  }
  override _readStreamForRange(start: number, end: number) {
    return Readable.from(this.#read(start, end))
  }
  *#read(start: number, end: number) {
    for (const slice of this.#layout.slices({ start, end: end - 1 })) {
      if (Buffer.isBuffer(slice)) yield slice
      else
        for (let left = slice.end - slice.start + 1; left > 0; left -= 2 ** 16)
          yield Buffer.alloc(Math.min(left, 2 ** 16))
    }
  }
}

describe('an archive larger than 4 GiB', () => {
  const modifiedAt = new Date('2026-11-28T12:34:56Z')
  const zerosCrc32 = (size: number) => crc32(Buffer.alloc(size))

  it.each<[string, number[]]>([
    ['many files', [...Array(9).fill(GiB / 2), 3]],
    ['a file one byte below the limit', [4 * GiB - 2, 3]],
    ['a file at the limit', [4 * GiB - 1, 3]],
    ['a file above the limit', [3, 4 * GiB, 3, 6 * GiB, 0]],
    ['a file of 8 TiB', [2 ** 43, 3]],
    // A header of 39 bytes and a name of one byte precede each file.
    ['a second file one byte below the limit', [4 * GiB - 2 - 40, 3]],
    ['a second file at the limit', [4 * GiB - 1 - 40, 3]],
    ['a directory at the limit', [4 * GiB - 1 - 40 - 43, 3]],
    ['a directory one byte below the limit', [4 * GiB - 2 - 40 - 43, 3]],
  ])('is read with %s', async (_, sizes) => {
    const entries = sizes.map((size, index): ZipEntry => {
      return { name: `${index}`, size, crc32: size < 100 ? zerosCrc32(size) : 7, modifiedAt }
    })
    const layout = layoutZip(entries)
    const zip = await yauzl.fromRandomAccessReaderPromise(new SparseReader(layout), layout.size, {
      lazyEntries: true,
    })
    const seen: unknown[] = []
    await readDirectory(zip, async (entry) => {
      const { fileName, uncompressedSize, compressedSize } = entry
      expect(compressedSize).toBe(uncompressedSize)
      seen.push([fileName, uncompressedSize, entry.crc32, entry.getLastModDate()])
      if (uncompressedSize > 100) return
      const stream = await zip.openReadStreamPromise(entry)
      expect(Buffer.concat(await stream.toArray())).toEqual(Buffer.alloc(uncompressedSize))
    })
    expect(seen).toEqual(entries.map(({ name, size, crc32: crc }) => [name, size, crc, modifiedAt]))
  })

  it('has consistent local headers', () => {
    const size = 5 * GiB
    const layout = layoutZip([{ name: 'a', size, crc32: 7, modifiedAt }])
    const [header] = layout.slices({ start: 0, end: 59 }) as Iterable<Buffer>
    expect(header?.readUInt16LE(4)).toBe(45)
    expect([header?.readUInt32LE(18), header?.readUInt32LE(22)]).toEqual([0xffffffff, 0xffffffff])
    expect(header?.readUInt16LE(31)).toBe(1)
    expect([header?.readBigUInt64LE(35), header?.readBigUInt64LE(43)]).toEqual([
      BigInt(size),
      BigInt(size),
    ])
  })
})

describe('an archive is extracted by', () => {
  const modifiedAt = new Date('2026-11-28T12:34:56Z')
  const list: File[] = [
    { name: 'empty.txt', bytes: Buffer.alloc(0), modifiedAt },
    { name: 'naïve café 😀.txt', bytes: Buffer.from('coffee'), modifiedAt },
    { name: 'ملف.bin', bytes: Buffer.alloc(100_000, 'x'), modifiedAt },
  ]
  const python =
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip()); z.extractall(sys.argv[2])'
  const programs: Record<string, (archive: string, folder: string) => string[]> = {
    unzip: (archive, folder) => ['-q', archive, '-d', folder],
    python3: (archive, folder) => ['-c', python, archive, folder],
    '7z': (archive, folder) => ['x', `-o${folder}`, archive],
    bsdtar: (archive, folder) => ['-xf', archive, '-C', folder],
  }

  it.each(Object.entries(programs))('%s', async (program, argumentsFor) => {
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-zip-'))
    try {
      const archive = join(folder, 'archive.zip')
      await writeFile(archive, makeArchive(list))
      const env = { ...process.env, LC_ALL: 'C.UTF-8' }
      await execute(program, argumentsFor(archive, folder), { env })
      for (const { name, bytes } of list) expect(await readFile(join(folder, name))).toEqual(bytes)
    } catch (error) {
      // Not every machine has all of these programs.
      if (!(error instanceof Error && 'syscall' in error && error.syscall === `spawn ${program}`)) {
        throw error
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
