import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../errors.ts'
import { type BodyTarget, writeBody } from './body-writer.ts'

/** An in-memory file that accepts at most `maxWrite` bytes per write. */
function memoryFile(maxWrite = Number.POSITIVE_INFINITY) {
  const bytes: Buffer[] = []
  const file: BodyTarget['file'] = {
    writev: async (chunks) => {
      const all = Buffer.concat(chunks).subarray(0, maxWrite)
      bytes.push(all)
      return { bytesWritten: all.length }
    },
  }
  return { file, bytes: () => Buffer.concat(bytes) }
}

function write(body: Readable, target: Partial<BodyTarget>, signal = new AbortController().signal) {
  const request = Object.assign(body, { headers: {} }) as unknown as IncomingMessage
  const wholeBody = { start: 0, limit: Number.POSITIVE_INFINITY, admit: async () => undefined }
  const { file } = memoryFile()
  return writeBody(
    { request, response: {} as ServerResponse, signal },
    { file, ...wholeBody, ...target },
  )
}

describe('writeBody', () => {
  it('writes everything in order, even after short writes', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 70 }), async (lengths, maxWrite) => {
        const chunks = lengths.map((length) => randomBytes(length))
        const sentBytes = Buffer.concat(chunks)
        const { file, bytes } = memoryFile(maxWrite)
        const result = await write(Readable.from(chunks), { file, start: 10 })
        expect(bytes()).toEqual(sentBytes)
        expect(result).toEqual({ endOffset: 10 + sentBytes.length, crc32: crc32(sentBytes) })
      }),
      { numRuns: 50 },
    )
  })

  it('writes nothing beyond its limit', async () => {
    const { file, bytes } = memoryFile()
    const body = Readable.from([Buffer.alloc(10), Buffer.alloc(6)])
    await expect(write(body, { file, limit: 15 })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
    expect(bytes().length).toBeLessThanOrEqual(10)
  })

  it('buffers only a few chunks while the disk is slow', async () => {
    const slowDisk = Promise.withResolvers<void>()
    const { file } = memoryFile()
    let chunksRead = 0
    const source = function* () {
      for (; chunksRead < 100; chunksRead += 1) yield Buffer.alloc(64 * 1024)
    }
    const writePromise = write(Readable.from(source(), { highWaterMark: 1 }), {
      file,
      admit: () => slowDisk.promise,
    })
    for (let tick = 0; tick < 100; tick += 1) await new Promise(setImmediate)
    expect(chunksRead).toBeLessThanOrEqual(10)
    slowDisk.resolve()
    expect((await writePromise).endOffset).toBe(100 * 64 * 1024)
  })

  it('writes all received bytes before it stops', async () => {
    const { file, bytes } = memoryFile()
    const body = new Readable({ read() {} })
    body.push('hello')
    const controller = new AbortController()
    const writePromise = write(body, { file }, controller.signal)
    await expect.poll(() => bytes().toString()).toBe('hello')
    body.push(' world')
    await new Promise(setImmediate)
    controller.abort(new AppError('UPLOAD_SUPERSEDED'))
    await expect(writePromise).rejects.toMatchObject({ code: 'UPLOAD_SUPERSEDED' })
    expect(bytes().toString()).toBe('hello world')
  })
})
