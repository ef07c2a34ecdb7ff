import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checksums } from '../../../../tests/support/make.ts'
import { maxPartCount } from '../../../shared/rules/files/part-plan.ts'
import {
  addPart,
  type BegunPart,
  dropPart,
  type HeldPart,
  HeldParts,
  newUpload,
  readNotes,
  readProvedParts,
  type Upload,
} from './held-parts.ts'

function part(partNumber: number, offset = 0, size = 1): HeldPart {
  return { partNumber, offset, size, crc32: partNumber }
}

describe('the parts of an upload', () => {
  const anyPart = fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: -1, max: 1 }), fc.nat(3))
    // Most parts begin where the one before ends, if all have two bytes.
    .map(([number, shift, size]) => part(number, Math.max(0, 2 * (number - 1) + shift), size))
  const anyChange = fc.oneof(anyPart, fc.integer({ min: 1, max: 4 }))

  it('are counted as far as they have no gap, however they come and go', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 12 }), (changes) => {
        const upload = newUpload()
        const held = new Map<number, HeldPart>()
        for (const change of changes) {
          if (typeof change === 'number') {
            dropPart(upload, change)
            held.delete(change)
          } else {
            addPart(upload, change)
            held.set(change.partNumber, change)
          }
          expect(upload).toEqual({
            parts: held,
            bytes: [...held.values()].reduce((sum, { size }) => sum + size, 0),
            prefix: prefixOf(held),
          })
        }
      }),
    )
  })

  const prefixOf = (held: ReadonlyMap<number, HeldPart>): Upload['prefix'] => {
    let bytes = 0
    for (let count = 0; ; count += 1) {
      const next = held.get(count + 1)
      if (next?.offset !== bytes) return { count, bytes }
      bytes += next.size
    }
  }
})

/** Knows one upload in parts, under the key `known`. */
class KnownParts extends HeldParts {
  readonly #upload: Upload

  constructor(...parts: HeldPart[]) {
    super()
    this.#upload = newUpload()
    for (const one of parts) addPart(this.#upload, one)
  }

  protected override async find(key: string): Promise<Upload | undefined> {
    return key === 'known' ? this.#upload : undefined
  }

  override async isInParts(key: string): Promise<boolean> {
    return key === 'known'
  }

  override begin(): Promise<BegunPart> {
    return Promise.reject(new Error('nothing is sent here'))
  }

  override async discard(): Promise<void> {}

  override async forget(): Promise<void> {}
}

describe('held parts', () => {
  it('are listed in the order of their numbers, with their CRC-32', async () => {
    const bytes = Buffer.from('a part')
    const second = { ...part(2, 5, bytes.length), crc32: crc32(bytes) }
    const parts = new KnownParts({ ...part(11), crc32: 0xffffffff }, second, part(1, 0, 5))
    expect(await parts.list('known')).toEqual([
      { partNumber: 1, size: 5, checksum: 'AAAAAQ==' },
      { partNumber: 2, size: 6, checksum: checksums.crc32(bytes) },
      { partNumber: 11, size: 1, checksum: '/////w==' },
    ])
    expect(await parts.list('other')).toEqual([])
  })

  it('tell their sizes', async () => {
    const parts = new KnownParts(part(1, 0, 5), part(3, 9, 4))
    expect([await parts.sizeOf('known', 3), await parts.sizeOf('known', 2)]).toEqual([4, 0])
    expect(await parts.sizeOf('other', 3)).toBe(0)
    expect([await parts.bytes('known'), await parts.bytes('other')]).toEqual([9, null])
    expect(await new KnownParts().bytes('known')).toBe(0)
  })

  it.each([
    ['all of them', [part(1, 0, 5), part(2, 5, 4)], 9, true],
    ['in another order', [part(2, 5, 4), part(1, 0, 5)], 9, true],
    ['too few', [part(1, 0, 5)], 9, false],
    ['too many', [part(1, 0, 5), part(2, 5, 4)], 8, false],
    ['with a gap', [part(1, 0, 5), part(3, 5, 4)], 9, false],
    ['with one behind a gap', [part(1, 0, 5), part(3, 9, 4)], 5, false],
    ['over one another', [part(1, 0, 5), part(2, 4, 4)], 9, false],
    ['none of an empty file', [], 0, true],
  ])('are a whole file or not: %s', async (_, held, size, expected) => {
    const parts = new KnownParts(...held)
    expect(await parts.areWhole('known', size)).toBe(expected)
    expect(await parts.areWhole('other', size)).toBe(false)
  })
})

describe('a list of parts', () => {
  const line = (facts: object) => JSON.stringify({ ...part(1), ...facts })

  it.each([
    ['an arrived part', line({ size: 7 }), [{ ...part(1), size: 7 }]],
    ['with the id of its list', line({ list: 'a' }), [{ ...part(1), list: 'a' }]],
    ['a part that begins again', '{"begun":2}', [{ begun: 2 }]],
    ['the last number', line(part(maxPartCount)), [part(maxPartCount)]],
    ['a number too large', line({ partNumber: maxPartCount + 1 }), []],
    ['the number 0', line({ partNumber: 0 }), []],
    ['the beginning of the number 0', '{"begun":0}', []],
    ['a size below 0', line({ size: -1 }), []],
    ['a place that is no whole number', line({ offset: 0.5 }), []],
    ['the largest CRC-32', line({ crc32: 0xffffffff }), [{ ...part(1), crc32: 0xffffffff }]],
    ['a larger CRC-32', line({ crc32: 0x100000000 }), []],
    ['no part', 'null', []],
    ['nothing', '', []],
  ])('has %s', (_, text, notes) => {
    expect(readNotes(text)).toEqual(notes)
  })

  it('keeps the order of its lines, without those that a crash cut off', () => {
    const text = `${line(part(2))}\n${line({}).slice(0, 9)}\n{"begun":2}\n${line({})}\n{"beg`
    expect(readNotes(text)).toEqual([part(2), { begun: 2 }, part(1)])
  })
})

describe('the parts whose bytes are in the file', () => {
  const bytes = Buffer.from('aaaabbbbcc')
  let folder: string
  let path: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-held-'))
    path = join(folder, 'upload')
    await writeFile(path, bytes)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** A part whose CRC-32 is that of these bytes of the file. */
  const proved = (partNumber: number, offset: number, size = 4): HeldPart => {
    return { partNumber, offset, size, crc32: crc32(bytes.subarray(offset, offset + size)) }
  }

  const isClosed = async (file: FileHandle): Promise<boolean> => {
    return file.stat().then(
      () => false,
      () => true,
    )
  }

  it.each([
    ['all that arrived', [proved(2, 4), proved(1, 0)], [1, 2], 8],
    ['not one whose bytes differ', [proved(1, 0), { ...proved(2, 4), offset: 0 }], [1], 4],
    ['not one that is cut off', [proved(1, 0), proved(3, 8)], [1], 4],
    ['not one behind the end', [proved(1, 0), proved(4, 12)], [1], 4],
    ['one without bytes', [proved(1, 0, 0)], [1], 0],
    ['not one that began again', [proved(1, 0), proved(2, 4), { begun: 1 }], [2], 4],
    ['one that began again and arrived', [{ begun: 1 }, proved(1, 0)], [1], 4],
    ['the newest line about a part', [proved(1, 4), proved(1, 0)], [1], 4],
    ['no older line about a part', [proved(1, 0), { ...proved(1, 0), crc32: 1 }], [], 0],
  ])('are %s', async (_, notes, numbers, held) => {
    const file = await open(path)
    const upload = await readProvedParts(file, notes)
    expect([...(upload?.parts.keys() ?? [])].toSorted()).toEqual(numbers)
    expect(upload?.bytes).toBe(held)
    expect(await isClosed(file)).toBe(true)
  })

  it('are proved over all their bytes, also where these are many', async () => {
    const many = Buffer.alloc(2.5 * 1024 ** 2, 7)
    const name = join(folder, 'large')
    await writeFile(name, many)
    const whole = {
      partNumber: 1,
      offset: 1,
      size: many.length - 1,
      crc32: crc32(many.subarray(1)),
    }
    const read = async () => (await readProvedParts(await open(name), [whole]))?.bytes
    expect(await read()).toBe(many.length - 1)
    many[many.length - 1] = 8
    await writeFile(name, many)
    expect(await read()).toBe(0)
  })

  it('are none without a file', async () => {
    expect(await readProvedParts(null, [proved(1, 0)])).toBeNull()
  })

  it('are unknown where the file cannot be read, which is closed all the same', async () => {
    const file = await open(join(folder, 'unreadable'), 'w')
    await expect(readProvedParts(file, [proved(1, 0)])).rejects.toThrow('EBADF')
    expect(await isClosed(file)).toBe(true)
  })
})
