import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BlockWriter, type BlockWriterOptions } from './block-writer.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import { transferLimits } from './transfer-limits.ts'

const MiB = 1024 * 1024

describe('BlockWriter', () => {
  let folder: string
  let path: string
  let file: FileHandle
  let memory: GatheredBytes
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-blocks-'))
    path = join(folder, 'file')
  })
  beforeEach(async () => {
    await file?.close()
    file = await open(path, 'w')
    memory = new GatheredBytes()
  })
  afterAll(async () => {
    await file.close()
    await rm(folder, { recursive: true, force: true })
  })
  const writerOf = (options: Partial<BlockWriterOptions> = {}) =>
    new BlockWriter({
      file,
      memory,
      start: 0,
      limit: Infinity,
      onBytes: () => undefined,
      ...options,
    })

  it.each([
    ['few large', 1, 5 * MiB],
    ['many of a socket', 100, 64 * 1024],
    ['very many tiny', 20_000, 3],
  ])('writes %s chunks in order', async (_what, count, size) => {
    const bytes = randomBytes(count * size)
    const chunks = Array.from({ length: count }, (_chunk, index) =>
      Buffer.from(bytes.subarray(index * size, (index + 1) * size)),
    )
    const writer = writerOf({ start: 10 })
    await pipeline(Readable.from(chunks), writer)
    expect((await readFile(path)).subarray(10).equals(bytes)).toBe(true)
  })

  it('goes on where the disk took less than it was given', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 70 }), async (lengths, taken) => {
        await file.truncate(0)
        const writer = writerOf({ file: takingAtMost(taken) })
        const chunks = lengths.map((length) => randomBytes(length))
        const bytes = Buffer.concat(chunks)
        await pipeline(Readable.from(chunks), writer)
        expect(await readFile(path)).toEqual(bytes)
      }),
      { numRuns: 50 },
    )
  })
  const takingAtMost = (taken: number): BlockWriterOptions['file'] => ({
    writev: async (chunks, position) => {
      const bytes = Buffer.concat(chunks).subarray(0, taken)
      return await file.write(bytes, 0, bytes.length, position)
    },
  })

  it('frees the memory of what it has written, where nobody else has bytes in it', async () => {
    const own = Buffer.allocUnsafeSlow(64 * 1024)
    const shared = Buffer.alloc(64 * 1024).subarray(1)
    await pipeline(Readable.from([own, shared]), writerOf())
    expect(own.buffer.byteLength).toBe(0)
    expect(shared.buffer.byteLength).toBe(64 * 1024)
    expect((await file.stat()).size).toBe(128 * 1024 - 1)
  })

  it('takes nothing that would pass its limit', async () => {
    const writer = writerOf({ limit: 15 })
    const sent = pipeline(Readable.from([Buffer.alloc(10), Buffer.alloc(6)]), writer)
    await expect(sent).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
    expect(writer.offset).toBe(10)
  })

  it('holds two blocks at most while the disk is slow', async () => {
    const disk = Promise.withResolvers<void>()
    const slow: BlockWriterOptions['file'] = {
      writev: async (chunks, position) => {
        await disk.promise
        return await file.writev(chunks, position)
      },
    }
    const writer = writerOf({ file: slow })
    let taken = 0
    const source = function* () {
      for (; taken < 100; taken += 1) yield Buffer.alloc(64 * 1024)
    }
    const sent = pipeline(Readable.from(source(), { highWaterMark: 1 }), writer)
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    // The writer takes the sixteen chunks of two blocks. One more may be on its way.
    expect(taken).toBeLessThanOrEqual(17)
    disk.resolve()
    await sent
    expect((await file.stat()).size).toBe(100 * 64 * 1024)
  })

  it('has given back all memory when it ends, however it ends', async () => {
    await pipeline(Readable.from([Buffer.alloc(5 * MiB), Buffer.alloc(7)]), writerOf())
    expect(memory.bytes).toBe(0)

    const tooLong = Readable.from([Buffer.alloc(10), Buffer.alloc(6)])
    await pipeline(tooLong, writerOf({ limit: 15 })).catch(() => undefined)
    expect(memory.bytes).toBe(0)

    const failing = { writev: () => Promise.reject(new Error('the disk is away')) }
    const sent = pipeline(Readable.from([Buffer.alloc(MiB)]), writerOf({ file: failing }))
    await expect(sent).rejects.toThrow('away')
    await expect.poll(() => memory.bytes).toBe(0)

    const left = writerOf()
    left.write(Buffer.alloc(10))
    expect(memory.bytes).toBe(10)
    left.destroy()
    expect(memory.bytes).toBe(0)
  })

  it('writes what it has before it takes more, while all uploads hold too much', async () => {
    memory.add(transferLimits.gatheredBytes)
    const disk = Promise.withResolvers<void>()
    const slow: BlockWriterOptions['file'] = {
      writev: async (chunks, position) => {
        await disk.promise
        return await file.writev(chunks, position)
      },
    }
    let taken = 0
    const source = function* () {
      for (; taken < 20; taken += 1) yield Buffer.alloc(64 * 1024)
    }
    const sent = pipeline(Readable.from(source(), { highWaterMark: 1 }), writerOf({ file: slow }))
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    // One chunk is being written, one waits, and one more may be on its way.
    expect(taken).toBeLessThanOrEqual(3)
    disk.resolve()
    await sent
    expect((await file.stat()).size).toBe(20 * 64 * 1024)
    expect(memory.bytes).toBe(transferLimits.gatheredBytes)
  })

  it('writes what has come when its sender pauses, and goes on afterwards', async () => {
    const writer = writerOf()
    const [first, second] = [randomBytes(1000), randomBytes(10)]
    for (const chunk of [first, second]) {
      writer.write(Buffer.from(chunk))
      expect(memory.bytes).toBe(chunk.length)
      await expect.poll(() => memory.bytes).toBe(0)
    }
    expect((await readFile(path)).equals(Buffer.concat([first, second]))).toBe(true)
    writer.destroy()
  })
})
