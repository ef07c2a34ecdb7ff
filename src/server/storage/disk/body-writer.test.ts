import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../errors.ts'
import { type BodyTarget, writeBody } from './body-writer.ts'

/** An in-memory file that accepts at most `most` bytes per write. */
function memoryFile(most = Number.POSITIVE_INFINITY) {
  const bytes: Buffer[] = []
  const file: BodyTarget['file'] = {
    writev: async (chunks) => {
      const all = Buffer.concat(chunks).subarray(0, most)
      bytes.push(all)
      return { bytesWritten: all.length }
    },
  }
  return { file, bytes: () => Buffer.concat(bytes) }
}

function write(body: Readable, target: Partial<BodyTarget>, stop = new AbortController().signal) {
  const request = Object.assign(body, { headers: {} }) as unknown as IncomingMessage
  const whole = { start: 0, limit: Number.POSITIVE_INFINITY, admit: async () => undefined }
  const { file } = memoryFile()
  return writeBody({ request, response: {} as ServerResponse, stop }, { file, ...whole, ...target })
}

describe('writeBody', () => {
  it('writes everything in order, even after short writes', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 70 }), async (lengths, most) => {
        const chunks = lengths.map((length) => randomBytes(length))
        const sent = Buffer.concat(chunks)
        const { file, bytes } = memoryFile(most)
        const written = await write(Readable.from(chunks), { file, start: 10 })
        expect(bytes()).toEqual(sent)
        expect(written).toEqual({ end: 10 + sent.length, crc32: crc32(sent) })
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
    const disk = Promise.withResolvers<void>()
    const { file } = memoryFile()
    let taken = 0
    const source = function* () {
      for (; taken < 100; taken += 1) yield Buffer.alloc(64 * 1024)
    }
    const sent = write(Readable.from(source(), { highWaterMark: 1 }), {
      file,
      admit: () => disk.promise,
    })
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
    expect(taken).toBeLessThanOrEqual(7)
    disk.resolve()
    expect((await sent).end).toBe(100 * 64 * 1024)
  })

  it('writes all received bytes before it stops', async () => {
    const { file, bytes } = memoryFile()
    const body = new Readable({ read() {} })
    body.push('hello')
    const stop = new AbortController()
    const sent = write(body, { file }, stop.signal)
    await expect.poll(() => bytes().toString()).toBe('hello')
    body.push(' world')
    await new Promise(setImmediate)
    stop.abort(new AppError('UPLOAD_SUPERSEDED'))
    await expect(sent).rejects.toMatchObject({ code: 'UPLOAD_SUPERSEDED' })
    expect(bytes().toString()).toBe('hello world')
  })
})
