import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StartupError } from '../errors.ts'
import { newStorageKey } from '../storage/storage-key.ts'
import {
  linesOf,
  type Manifest,
  objectsFile,
  prepareBackupFolder,
  readHashed,
  readManifest,
  readObjects,
  textOf,
  writeHashed,
  writeManifest,
} from './backup-folder.ts'

let parent: string
let folder: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'mayfly-backup-folder-'))
  folder = join(parent, 'backup')
})
afterEach(() => rm(parent, { recursive: true }))

function sha256(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const manifest: Manifest = {
  format: 1,
  madeAt: '2026-03-01T12:00:00.000Z',
  migration: '0042_last',
  installation: 'ours',
  rows: [
    { table: 'users', file: 'users.copy', columns: [{ name: 'id' }], count: 3, sha256: sha256('') },
  ],
  objects: { count: 2, bytes: 9, sha256: sha256('objects') },
}

describe('the folder for a backup', () => {
  it('is made, for its owner alone', async () => {
    await prepareBackupFolder(folder)
    expect(await readdir(folder)).toEqual(['rows'])
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it('is closed to others, if it is there', async () => {
    await mkdir(folder)
    await chmod(folder, 0o755)
    await prepareBackupFolder(folder)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it('may have what an interrupted backup has left', async () => {
    const left = ['secret', 'admin-password.new', 'manifest.json.new', objectsFile, 'listed.ndjson']
    for (const name of ['files', 'uploads', 'rows'])
      await mkdir(join(folder, name), { recursive: true })
    for (const name of left) await writeFile(join(folder, name), '')
    await prepareBackupFolder(folder)
    expect(await readdir(folder)).toHaveLength(left.length + 3)
  })

  it('is refused as it is, if it has other things in it', async () => {
    await mkdir(folder)
    await chmod(folder, 0o755)
    await writeFile(join(folder, 'holiday.jpg'), '')
    await expect(prepareBackupFolder(folder)).rejects.toThrow('other things in it (holiday.jpg)')
    expect((await stat(folder)).mode & 0o777).toBe(0o755)
  })

  it('is refused if it has a complete backup', async () => {
    await prepareBackupFolder(folder)
    await writeManifest(folder, manifest)
    await expect(prepareBackupFolder(folder)).rejects.toThrow('has a backup already')
  })

  it('is refused if it cannot be made, with the reason', async () => {
    await writeFile(folder, '')
    const preparing = prepareBackupFolder(folder)
    await expect(preparing).rejects.toThrow(StartupError)
    await expect(preparing).rejects.toThrow('cannot be written to (ENOTDIR)')
  })
})

describe('the manifest', () => {
  it('is read as it was written', async () => {
    await prepareBackupFolder(folder)
    await writeManifest(folder, manifest)
    expect(await readManifest(folder)).toEqual(manifest)
  })

  it('that is missing says that the backup is not complete', async () => {
    await prepareBackupFolder(folder)
    const reading = readManifest(folder)
    await expect(reading).rejects.toThrow(StartupError)
    await expect(reading).rejects.toThrow(
      'no complete backup: manifest.json cannot be read (ENOENT)',
    )
  })

  const [row] = manifest.rows
  it.each([
    ['no JSON', '{"format":1'],
    ['of another format', JSON.stringify({ ...manifest, format: 2 })],
    [
      'with a path for a file',
      JSON.stringify({ ...manifest, rows: [{ ...row, file: '../secret' }] }),
    ],
    [
      'with a wrong SHA-256',
      JSON.stringify({ ...manifest, rows: [{ ...row, sha256: 'A'.repeat(64) }] }),
    ],
    ['with a count below 0', JSON.stringify({ ...manifest, rows: [{ ...row, count: -1 }] })],
    ['without objects', JSON.stringify({ ...manifest, objects: undefined })],
  ])('that is damaged is refused: %s', async (_, json) => {
    await prepareBackupFolder(folder)
    await writeFile(join(folder, 'manifest.json'), json)
    await expect(readManifest(folder)).rejects.toThrow(
      'is damaged, or of another version of Mayfly',
    )
  })
})

describe('a file of a backup', () => {
  it('is written for its owner alone, and read back only unchanged', async () => {
    const path = join(parent, 'rows')
    const hash = await writeHashed(path, Readable.from(['some ', Buffer.from('rows')]))
    expect(hash).toBe(sha256('some rows'))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await text(readHashed(path, hash))).toBe('some rows')
    await writeFile(path, 'some cows')
    await expect(text(readHashed(path, hash))).rejects.toThrow('a file of it was altered')
  })

  it('that is missing fails the stream', async () => {
    await expect(text(readHashed(join(parent, 'gone'), sha256('')))).rejects.toThrow('ENOENT')
  })

  it('may be absent where there was none', async () => {
    expect(await textOf(join(parent, 'gone'))).toBeNull()
    await writeFile(join(parent, 'secret'), 'x')
    expect(await textOf(join(parent, 'secret'))).toBe('x')
    await expect(textOf(parent)).rejects.toThrow('EISDIR')
  })
})

describe('the list of objects', () => {
  const read = async (lines: string): Promise<unknown[]> => {
    await writeFile(join(parent, objectsFile), lines)
    return Readable.from(readObjects(parent, sha256(lines))).toArray()
  }
  const object = { key: newStorageKey(), size: 3, sha256: sha256('abc'), isFault: false }
  const missing = { ...object, sha256: null, isFault: true }

  it('is read line by line', async () => {
    const lines = [object, missing].map((one) => `${JSON.stringify(one)}\n`).join('')
    expect(await read(lines)).toEqual([object, missing])
    expect(await read('')).toEqual([])
  })

  it.each([
    ['no key', { ...object, key: '../../etc/passwd' }],
    ['no size', { ...object, size: -1 }],
    ['no SHA-256', { ...object, sha256: 'abc' }],
    ['no object', null],
  ])('is damaged if a line has %s', async (_, line) => {
    await expect(read(`${JSON.stringify(line)}\n`)).rejects.toThrow(
      `damaged: look at ${objectsFile}`,
    )
  })

  it('is damaged if it was altered, though each line could be right', async () => {
    await writeFile(join(parent, objectsFile), `${JSON.stringify(object)}\n`)
    const reading = Readable.from(readObjects(parent, sha256('other'))).toArray()
    await expect(reading).rejects.toThrow('a file of it was altered')
  })
})

it('lines are those of the text, however it comes in pieces', async () => {
  const anyLines = fc.array(fc.string({ unit: 'binary', maxLength: 5 }), { maxLength: 5 })
  const lines = anyLines.map((all) => all.map((line) => line.replaceAll('\n', '')))
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      async (all, ends, bytes) => {
        const whole = Buffer.from(all.join('\n') + (ends ? '\n' : ''))
        const pieces = Array.from({ length: Math.ceil(whole.length / bytes) }, (_, at) =>
          whole.subarray(at * bytes, (at + 1) * bytes),
        )
        const expected = whole.toString().split('\n')
        if (expected.at(-1) === '') expected.pop()
        expect(await Readable.from(linesOf(Readable.from(pieces))).toArray()).toEqual(expected)
      },
    ),
    { numRuns: 30 },
  )
})
