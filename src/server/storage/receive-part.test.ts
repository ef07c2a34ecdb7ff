import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../tests/support/disk-server.ts'
import { checksums } from '../../../tests/support/make.ts'
import { type Answer, codeOf, type Sending, send } from '../../../tests/support/send.ts'
import type { PartGrant, UploadGrant } from './storage.ts'

const MiB = 1024 * 1024

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())
beforeEach(() => {
  disk.touched.length = 0
})

/** An upload of `count` parts of `partSize` bytes, the last one of half of that. */
const cut = (count: number, partSize: number) => {
  const bytes = randomBytes((count - 1) * partSize + Math.ceil(partSize / 2))
  const whole = disk.uploadGrant(bytes.length)
  const parts = Array.from({ length: count }, (_, index): PartGrant => {
    const offset = index * partSize
    const size = Math.min(partSize, bytes.length - offset)
    return { ...whole, partNumber: index + 1, offset, size }
  })
  const part = (partNumber: number) => parts[partNumber - 1] as PartGrant
  const bytesOf = ({ offset, size }: PartGrant) => bytes.subarray(offset, offset + size)
  return { key: whole.key, bytes, whole, parts, part, bytesOf }
}
type Cut = ReturnType<typeof cut>

const urlOf = async (part: PartGrant) => (await disk.storage.signParts([part]))[0] ?? ''
const put = async (of: Cut, part: PartGrant, { headers, ...sending }: Sending = {}) =>
  send(await urlOf(part), {
    method: 'PUT',
    body: of.bytesOf(part),
    headers: { 'Content-Type': part.mimeType, ...headers },
    ...sending,
  })
const putWhole = async (whole: UploadGrant, body: Buffer, headers: OutgoingHttpHeaders = {}) =>
  send(await disk.storage.signUpload(whole), {
    method: 'PUT',
    body,
    headers: { 'Content-Type': whole.mimeType, ...headers },
  })
const headOf = async (url: string) => {
  const answer = await send(url, { method: 'HEAD' })
  return [answer.status, Number(answer.headers['upload-offset'])]
}
const held = async ({ key }: Cut) =>
  (await disk.storage.listParts(key)).map(({ partNumber }) => partNumber)
const refused = (answer: Answer) => [answer.status, codeOf(answer)]
const stored = ({ key }: Cut) => readFile(join(disk.dataDir, 'uploads', key))
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const left = async (key: string) =>
  (await readdir(join(disk.dataDir, 'uploads'))).filter((name) => name.startsWith(key))

/** A PUT of a part that the test feeds by hand. */
const openPut = async (part: PartGrant, headers: OutgoingHttpHeaders = {}) => {
  const client = request(await urlOf(part), {
    method: 'PUT',
    agent: false,
    headers: { 'Content-Type': part.mimeType, 'Content-Length': part.size, ...headers },
  })
  client.on('error', () => undefined)
  const ended = new Promise<{ status: number; code: string | undefined } | 'cut'>((resolve) => {
    client.on('close', () => resolve('cut'))
    client.on('response', async (response) => {
      let body = ''
      for await (const chunk of response.setEncoding('utf8')) body += chunk
      resolve({ status: response.statusCode ?? 0, code: body && JSON.parse(body).code })
      client.destroy()
    })
  })
  return { client, ended }
}
/** Begins a part and waits until the server has it in hand. */
const beginPart = async (of: Cut, part: PartGrant) => {
  const before = disk.touched.length
  const { client, ended } = await openPut(part)
  await new Promise((resolve) => client.write(of.bytesOf(part).subarray(0, 10), resolve))
  while (disk.touched.length === before) await new Promise(setImmediate)
  return { client, ended, finish: () => client.end(of.bytesOf(part).subarray(10)) }
}
const untilHeld = async (of: Cut, ...partNumbers: number[]) => {
  while (String(await held(of)) !== String(partNumbers)) await new Promise(setImmediate)
}

describe('parts', () => {
  it('lie in their places in one file, whatever their order', async () => {
    const of = cut(9, 64 * 1024)
    for (const partNumber of [9, 4, 1, 8, 2, 7, 3, 6, 5]) {
      expect((await put(of, of.part(partNumber))).status).toBe(200)
    }
    expect((await stored(of)).equals(of.bytes)).toBe(true)
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
    expect(await left(of.key)).toEqual([])
  })

  it('arrive side by side', async () => {
    const of = cut(4, 3 * MiB)
    const puts = await Promise.all(of.parts.map((part) => beginPart(of, part)))
    for (const { finish } of puts.toReversed()) finish()
    for (const { ended } of puts) expect(await ended).toMatchObject({ status: 200 })
    expect((await stored(of)).equals(of.bytes)).toBe(true)
  })

  it('are asked of the records when they begin, and once a minute', async () => {
    const of = cut(1, 100)
    const { client, ended } = await beginPart(of, of.part(1))
    expect(disk.touched).toEqual([of.key])
    for (let sent = 10; sent < 30; sent += 1) {
      disk.clock.advance(60_000)
      await new Promise((resolve) => client.write(of.bytes.subarray(sent, sent + 1), resolve))
      await headOf(await urlOf(of.part(1)))
    }
    // The URL of the HEAD asks too.
    expect(disk.touched.length).toBeGreaterThan(1 + 20)
    expect(disk.touched.length).toBeLessThanOrEqual(1 + 20 + 20)
    client.end(of.bytes.subarray(30))
    expect(await ended).toMatchObject({ status: 200 })
  })

  it('end when their upload was given up meanwhile', async () => {
    const of = cut(1, 100)
    const { client, ended } = await beginPart(of, of.part(1))
    disk.over.add(of.key)
    const refusal = { status: 404, code: 'UPLOAD_NOT_FOUND' }
    for (let sent = 10; sent < 30; sent += 1) {
      disk.clock.advance(60_000)
      client.write(of.bytes.subarray(sent, sent + 1))
      await headOf(await urlOf(of.part(1)))
    }
    expect(await ended).toEqual(refusal)
    expect(await held(of)).toEqual([])
  })

  it('are refused when their upload is over: 404, and 409 once it is sealed', async () => {
    const [aborted, sealed] = [cut(1, 100), cut(1, 100)]
    await put(sealed, sealed.part(1))
    await disk.storage.seal(sealed.key, sealed.bytes.length)
    for (const { key } of [aborted, sealed]) disk.over.add(key)
    expect(refused(await put(aborted, aborted.part(1)))).toEqual([404, 'UPLOAD_NOT_FOUND'])
    expect(refused(await put(sealed, sealed.part(1)))).toEqual([409, 'UPLOAD_SEALED'])
    expect(await left(aborted.key)).toEqual([])
  })
})

describe('HEAD of a part', () => {
  it('tells whether it is held', async () => {
    const of = cut(2, 100)
    const url = await urlOf(of.part(1))
    expect(await headOf(url)).toEqual([200, 0])
    await put(of, of.part(1))
    expect(await headOf(url)).toEqual([200, 100])
    await put(of, of.part(2))
    await disk.storage.seal(of.key, of.bytes.length)
    disk.over.add(of.key)
    expect(await headOf(url)).toEqual([200, 100])
  })

  it('is 404 when the upload was given up', async () => {
    const of = cut(1, 100)
    disk.over.add(of.key)
    expect((await headOf(await urlOf(of.part(1))))[0]).toBe(404)
  })
})

describe('a part that does not arrive whole', () => {
  it('is not held, and the others are', async () => {
    const of = cut(3, MiB)
    await put(of, of.part(3))
    const { client, ended } = await beginPart(of, of.part(2))
    await put(of, of.part(1))
    client.destroy()
    expect(await ended).toBe('cut')
    await disk.storage.idle()
    expect(await held(of)).toEqual([1, 3])
    expect(await disk.storage.storedSize(of.key)).toBe(1.5 * MiB)
    await put(of, of.part(2))
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })

  it.each([
    ['ends early', 99, 400, 'UPLOAD_INCOMPLETE'],
    ['is too long', 101, 413, 'FILE_TOO_LARGE'],
  ])('in chunks, and %s', async (_, length, status, code) => {
    const of = cut(2, 100)
    await put(of, of.part(2))
    const headers = { 'Transfer-Encoding': 'chunked' }
    const answer = await put(of, of.part(1), { headers, body: randomBytes(length) })
    expect(refused(answer)).toEqual([status, code])
    expect(await held(of)).toEqual([2])
    expect((await stored(of)).subarray(100).equals(of.bytesOf(of.part(2)))).toBe(true)
  })

  it.each([
    [101, 413, 'FILE_TOO_LARGE'],
    [99, 400, 'UPLOAD_INCOMPLETE'],
  ])('announces %i bytes of 100: refused before they come', async (length, status, code) => {
    const of = cut(2, 100)
    await put(of, of.part(1))
    const { client, ended } = await openPut(of.part(1), { 'Content-Length': length })
    client.flushHeaders()
    expect(await ended).toEqual({ status, code })
    expect(await held(of)).toEqual([1])
  })

  it.each([{ Range: 'bytes=0-' }, { Range: 'bytes=50-' }, { 'Content-Range': 'bytes 0-9/10' }])(
    'is only a piece of it: %o',
    async (headers) => {
      const of = cut(2, 100)
      await put(of, of.part(1))
      expect(refused(await put(of, of.part(1), { headers }))).toEqual([400, 'INVALID_INPUT'])
      expect(await held(of)).toEqual([1])
    },
  )
})

describe('a part that is sent again', () => {
  it('is not held until it has arrived', async () => {
    const of = cut(2, 100)
    for (const part of of.parts) await put(of, part)
    const { ended, finish } = await beginPart(of, of.part(1))
    await untilHeld(of, 2)
    await expect(disk.storage.seal(of.key, of.bytes.length)).rejects.toMatchObject({
      name: 'SizeMismatch',
      actual: 50,
    })
    finish()
    expect(await ended).toMatchObject({ status: 200 })
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })

  it('takes over from the older one, which hangs', async () => {
    const of = cut(2, MiB)
    const other = await beginPart(of, of.part(2))
    const older = await beginPart(of, of.part(1))
    expect((await put(of, of.part(1))).status).toBe(200)
    const answer = await older.ended
    if (answer !== 'cut') expect(answer).toEqual({ status: 409, code: 'UPLOAD_SUPERSEDED' })
    other.finish()
    expect(await other.ended).toMatchObject({ status: 200 })
    expect((await stored(of)).equals(of.bytes)).toBe(true)
  })

  it('keeps the part whole whatever many do at once', async () => {
    const of = cut(1, 4 * MiB)
    const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(of.bytes.length, index))
    const answers = await Promise.allSettled(bodies.map((body) => put(of, of.part(1), { body })))
    for (const answer of answers) {
      if (answer.status === 'fulfilled') expect([200, 409]).toContain(answer.value.status)
    }
    expect((await put(of, of.part(1))).status).toBe(200)
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })
})

describe('parts and the whole file', () => {
  it('HEAD of the upload URL says 0, and continuing is refused without disturbing parts', async () => {
    const of = cut(2, 100)
    await put(of, of.part(2))
    const { ended, finish } = await beginPart(of, of.part(1))
    expect(await headOf(await disk.storage.signUpload(of.whole))).toEqual([200, 0])
    const answer = await putWhole(of.whole, of.bytes.subarray(50), { Range: 'bytes=50-' })
    expect(refused(answer)).toEqual([416, 'OFFSET_MISMATCH'])
    expect(answer.headers['upload-offset']).toBe('0')
    finish()
    expect(await ended).toMatchObject({ status: 200 })
    expect(await held(of)).toEqual([1, 2])
  })

  it.each([{}, { Range: 'bytes=0-' }])('the whole file takes their place: %o', async (headers) => {
    const of = cut(3, 1000)
    await put(of, of.part(3), { body: randomBytes(500) })
    const running = await beginPart(of, of.part(2))
    expect((await putWhole(of.whole, of.bytes, headers)).status).toBe(200)
    const answer = await running.ended
    if (answer !== 'cut') expect(answer).toEqual({ status: 409, code: 'UPLOAD_SUPERSEDED' })
    expect(await left(of.key)).toEqual([of.key])
    expect(await held(of)).toEqual([])
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })

  it('a broken whole file is continued, as if there had never been parts', async () => {
    const of = cut(3, 1000)
    await put(of, of.part(3))
    const chunked = { 'Transfer-Encoding': 'chunked' }
    await putWhole(of.whole, of.bytes.subarray(0, 700), chunked)
    expect(await headOf(await disk.storage.signUpload(of.whole))).toEqual([200, 700])
    await putWhole(of.whole, of.bytes.subarray(700), { Range: 'bytes=700-' })
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })

  it('a part takes the place of the whole file, and of one that is arriving', async () => {
    const of = cut(3, 1000)
    await putWhole(of.whole, randomBytes(of.bytes.length))
    await Promise.all(of.parts.map((part) => put(of, part)))
    expect(await held(of)).toEqual([1, 2, 3])
    const client = request(await disk.storage.signUpload(of.whole), {
      method: 'PUT',
      agent: false,
      headers: { 'Content-Type': of.whole.mimeType, 'Content-Length': of.whole.size },
    })
    client.on('error', () => undefined)
    client.write(of.bytes.subarray(0, 2000))
    while ((await headOf(await disk.storage.signUpload(of.whole)))[1] !== 2000);
    expect((await put(of, of.part(1))).status).toBe(200)
    client.destroy()
    expect(await held(of)).toEqual([1])
    await Promise.all([put(of, of.part(2)), put(of, of.part(3))])
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })
})

describe('the checksum that is sent along', () => {
  const checksum = (bytes: Buffer) => ({ 'x-amz-checksum-crc32': checksums.crc32(bytes) })

  it('is compared with a part, and with a whole file', async () => {
    const of = cut(2, 100)
    const good = { headers: checksum(of.bytesOf(of.part(1))) }
    expect((await put(of, of.part(1), good)).status).toBe(200)
    const wrong = await put(of, of.part(2), { ...good, body: randomBytes(50) })
    expect(refused(wrong)).toEqual([409, 'CHECKSUM_MISMATCH'])
    expect(await held(of)).toEqual([1])
    const whole = cut(1, 2 * MiB)
    const damaged = await putWhole(whole.whole, whole.bytes, checksum(randomBytes(5)))
    expect(refused(damaged)).toEqual([409, 'CHECKSUM_MISMATCH'])
    expect(await disk.storage.storedSize(whole.key)).toBe(0)
    expect((await putWhole(whole.whole, whole.bytes, checksum(whole.bytes))).status).toBe(200)
    expect(await disk.storage.seal(whole.key, whole.bytes.length)).toBe(sha256(whole.bytes))
  })

  it('of a continuation is that of its own body, and leaves what was there', async () => {
    const { whole, bytes, key } = cut(1, 200)
    await putWhole(whole, bytes.subarray(0, 40), { 'Transfer-Encoding': 'chunked' })
    const rest = bytes.subarray(40)
    const range = { Range: 'bytes=40-' }
    const wrong = await putWhole(whole, rest, { ...range, ...checksum(bytes) })
    expect(refused(wrong)).toEqual([409, 'CHECKSUM_MISMATCH'])
    expect(await disk.storage.storedSize(key)).toBe(40)
    expect((await putWhole(whole, rest, { ...range, ...checksum(rest) })).status).toBe(200)
    expect(await disk.storage.seal(key, bytes.length)).toBe(sha256(bytes))
  })

  it.each(['', '?', 'AAAA', 'AAAAAA', 'AAAAAB==', 'AAAAAAA=', 'AAAAAA== ,AAAAAA==', '=AAAAAA='])(
    'is refused before a byte is read when it is none: %o',
    async (value) => {
      const of = cut(1, 100)
      await put(of, of.part(1))
      const { client, ended } = await openPut(of.part(1), { 'x-amz-checksum-crc32': value })
      client.flushHeaders()
      expect(await ended).toEqual({ status: 400, code: 'INVALID_INPUT' })
      expect(await held(of)).toEqual([1])
    },
  )
})

describe('sealing and removing while parts arrive', () => {
  it('confirming too early disturbs none', async () => {
    const of = cut(2, 1000)
    await put(of, of.part(2))
    const { ended, finish } = await beginPart(of, of.part(1))
    const tooEarly = disk.storage.seal(of.key, of.bytes.length)
    await expect(tooEarly).rejects.toMatchObject({ expected: 1500, actual: 500 })
    finish()
    expect(await ended).toMatchObject({ status: 200 })
    await disk.storage.seal(of.key, of.bytes.length)
  })

  it('removing ends all of them and leaves nothing', async () => {
    const of = cut(3, 1000)
    await put(of, of.part(3))
    const running = await Promise.all([beginPart(of, of.part(1)), beginPart(of, of.part(2))])
    disk.over.add(of.key)
    await disk.storage.remove(of.key)
    for (const { ended } of running) {
      const answer = await ended
      if (answer !== 'cut') expect(answer.code).toBe('UPLOAD_NOT_FOUND')
    }
    expect(await left(of.key)).toEqual([])
    expect(await disk.storage.listParts(of.key)).toEqual([])
    expect(await disk.storage.storedSize(of.key)).toBeNull()
  })

  it('gives a file of exactly these parts or none, whoever is first', async () => {
    for (let round = 0; round < 20; round += 1) {
      const of = cut(2, MiB)
      for (const part of of.parts) await put(of, part)
      const body = randomBytes(MiB)
      const [again, sealed] = await Promise.allSettled([
        put(of, of.part(1), { body }),
        disk.storage.seal(of.key, of.bytes.length),
      ])
      if (sealed.status === 'fulfilled') {
        const file = join(disk.dataDir, 'files', of.key.slice(0, 2), of.key)
        expect(sealed.value).toBe(sha256(await readFile(file)))
        expect(await left(of.key)).toEqual([])
      } else {
        expect(sealed.reason).toMatchObject({ name: 'SizeMismatch' })
        if (again.status === 'fulfilled') expect(again.value.status).toBe(200)
        await disk.storage.remove(of.key)
      }
    }
  })
})

describe('a disk that is full', () => {
  it('holds nothing of the part, keeps the others, and takes it when there is room', async () => {
    const of = cut(2, MiB)
    const [first, path] = [of.part(1), join(disk.dataDir, 'uploads', of.key)]
    await put(of, of.part(2))
    const half = await stored(of)
    await rm(path)
    // Every write to this device fails as a full disk does.
    await symlink('/dev/full', path)
    expect(refused(await put(of, first))).toEqual([503, 'UNAVAILABLE'])
    expect(disk.logged.at(-1)).toMatchObject({ level: 50, err: { code: 'ENOSPC' } })
    expect(await held(of)).toEqual([2])
    await rm(path)
    await writeFile(path, half)
    expect((await put(of, first)).status).toBe(200)
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })

  it('holds no part that could not be noted', async () => {
    const of = cut(2, 1000)
    await put(of, of.part(2))
    const notes = join(disk.dataDir, 'uploads', `${of.key}.parts`)
    await rm(notes)
    await symlink('/dev/full', notes)
    expect(refused(await put(of, of.part(1)))).toEqual([503, 'UNAVAILABLE'])
    expect(await held(of)).toEqual([2])
    await rm(notes)
    expect((await put(of, of.part(1))).status).toBe(200)
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
  })
})

describe('close', () => {
  it('ends parts that arrive, and keeps those that have arrived for the next start', async () => {
    const first = disk
    disk = await openDiskServer()
    const of = cut(2, 1000)
    await put(of, of.part(2))
    const { ended } = await beginPart(of, of.part(1))
    await disk.storage.close()
    const answer = await ended
    if (answer !== 'cut') expect(answer).toMatchObject({ status: 503 })
    await disk.stop()
    disk = await openDiskServer(disk.dataDir)
    expect(await held(of)).toEqual([2])
    await put(of, of.part(1))
    expect(await disk.storage.seal(of.key, of.bytes.length)).toBe(sha256(of.bytes))
    await disk.close()
    disk = first
  })
})
