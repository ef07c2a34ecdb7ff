import { randomBytes } from 'node:crypto'
import { type EventEmitter, once } from 'node:events'
import { mkdir, readdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiskServer, openDiskServer } from '../../../tests/support/disk-server.ts'
import { codeOf, send } from '../../../tests/support/send.ts'
import { openDiskStorage } from './disk.ts'
import type { UploadGrant } from './storage.ts'
import { newStorageKey } from './storage-key.ts'

const MiB = 1024 * 1024
const octets = { 'Content-Type': 'application/octet-stream' }

let disk: DiskServer
beforeAll(async () => {
  disk = await openDiskServer()
})
afterAll(() => disk.close())

const put = async (grant: UploadGrant, body: Buffer | string, headers = {}) =>
  send(await disk.storage.signUpload(grant), {
    method: 'PUT',
    headers: { ...octets, ...headers },
    body,
  })
const store = async (bytes: Buffer) => {
  const grant = disk.uploadGrant(bytes.length)
  expect((await put(grant, bytes)).status).toBe(200)
  await disk.storage.seal(grant.key, bytes.length)
  return disk.downloadGrant(grant.key, bytes.length)
}

/** The files of the store that this process has open, but for the folders that it keeps open. */
const openFiles = async (): Promise<string[]> => {
  const targets = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  const kept = ['uploads', 'files'].map((name) => join(disk.dataDir, name))
  return targets.filter((target) => target.startsWith(disk.dataDir) && !kept.includes(target))
}
const expectAllQuiet = async () => {
  await disk.storage.idle()
  expect(disk.storage.activeTransfers()).toBe(0)
  expect(await openFiles()).toEqual([])
}

/** Sends raw bytes and collects all that comes back until the connection ends. */
const raw = async (...pieces: (string | Buffer)[]): Promise<string> => {
  const socket = connect(disk.port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => undefined)
  for (const piece of pieces) socket.write(piece)
  await untilClosed(socket)
  return Buffer.concat(chunks).toString('latin1')
}
/** Unlike `once`, which takes an error for a failure: here connections are meant to break. */
const untilClosed = (connection: EventEmitter) =>
  new Promise<void>((resolve) => connection.once('close', () => resolve()))
const targetOf = (url: string) => url.slice(new URL(url).origin.length)

describe('clients that leave', () => {
  it('in the middle of an upload, 50 times', async () => {
    const grant = disk.uploadGrant(8 * MiB)
    const url = await disk.storage.signUpload(grant)
    for (let round = 0; round < 50; round += 1) {
      const headers = { ...octets, 'Content-Length': grant.size }
      const client = request(url, { method: 'PUT', agent: false, headers })
      client.on('error', () => undefined)
      const sent = new Promise((resolve) => client.write(Buffer.alloc(round * 50_000), resolve))
      // Some leave after their bytes have left, some with them still on the way.
      if (round % 2 === 0) await sent
      client.destroy()
      await untilClosed(client)
    }
    const whole = randomBytes(grant.size)
    expect((await put(grant, whole)).status).toBe(200)
    await disk.storage.seal(grant.key, grant.size)
    const answer = await send(
      await disk.storage.signDownload(disk.downloadGrant(grant.key, grant.size)),
    )
    expect(answer.body.equals(whole)).toBe(true)
    await expectAllQuiet()
  })

  it('for good: what has come is stored, and the file is closed', async () => {
    const grant = disk.uploadGrant(4 * MiB)
    const url = await disk.storage.signUpload(grant)
    const headers = { ...octets, 'Content-Length': grant.size }
    const client = request(url, { method: 'PUT', agent: false, headers })
    client.on('error', () => undefined)
    client.write(Buffer.alloc(MiB + 3))
    while ((await send(url, { method: 'HEAD' })).headers['upload-offset'] !== String(MiB + 3));
    client.destroy()
    await expectAllQuiet()
    expect(await disk.storage.storedSize(grant.key)).toBe(MiB + 3)
  })

  it('in the middle of a download, 50 times', async () => {
    const grant = await store(randomBytes(16 * MiB))
    const url = await disk.storage.signDownload(grant)
    for (let round = 0; round < 50; round += 1) {
      const client = request(url, { agent: false })
      client.on('error', () => undefined)
      client.end()
      if (round % 5 > 0) {
        const [response] = (await once(client, 'response')) as [IncomingMessage]
        response.on('error', () => undefined)
        if (round % 5 > 1) await once(response, 'data')
      }
      client.destroy()
      await untilClosed(client)
    }
    expect((await send(url)).body.length).toBe(16 * MiB)
    await expectAllQuiet()
  })

  it('with requests still waiting behind the first', async () => {
    const grant = await store(randomBytes(16 * MiB))
    const target = targetOf(await disk.storage.signDownload(grant))
    for (let round = 0; round < 10; round += 1) {
      const socket = connect(disk.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5))
      await once(socket, 'readable')
      socket.destroy()
      await untilClosed(socket)
    }
    await expectAllQuiet()
  })
})

describe('clients that are slow', () => {
  it('may send and read a byte at a time', async () => {
    const grant = disk.uploadGrant(64)
    const bytes = randomBytes(64)
    const target = targetOf(await disk.storage.signUpload(grant))
    const head = `PUT ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 64\r\n\r\n`
    const socket = connect({ port: disk.port, host: '127.0.0.1', noDelay: true })
    for (const byte of Buffer.concat([Buffer.from(head), bytes])) {
      await new Promise((resolve) => socket.write(Buffer.of(byte), resolve))
    }
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    expect((await readFile(join(disk.dataDir, 'uploads', grant.key))).equals(bytes)).toBe(true)
  })

  it('keep a download waiting and still get all of it', async () => {
    const bytes = randomBytes(12 * MiB)
    const grant = await store(bytes)
    const client = request(await disk.storage.signDownload(grant), { agent: false })
    client.end()
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) {
      chunks.push(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
    await expectAllQuiet()
  })
})

describe('requests that mean harm', () => {
  it('a path that climbs', async () => {
    const key = newStorageKey()
    const targets = [
      '/storage/',
      '/storage/../../etc/passwd',
      '/storage/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      '/storage/..%5c..%5cetc',
      `/storage/${key}%00?operation=get`,
      `/storage/${key}?operation=get&signature=`,
      `/storage/${key}?operation=get&signature=${'A'.repeat(43)}`,
      `/storage/${key}?operation=get&signature=${'%C3%A9'.repeat(20)}`,
      `/storage/${'a'.repeat(8000)}`,
    ]
    for (const target of targets) {
      const answer = await raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(answer, target).toMatch(/^HTTP\/1\.1 403 /)
      expect(answer).toContain('SIGNATURE_INVALID')
    }
  })

  it.each(['POST', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s is no method of a presigned URL',
    async (method) => {
      const url = await disk.storage.signUpload(disk.uploadGrant(5))
      const answer = await send(url, { method })
      expect([answer.status, codeOf(answer)]).toEqual([405, 'METHOD_NOT_ALLOWED'])
      expect(answer.headers.allow).toBe('GET, HEAD, PUT')
    },
  )

  it.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['a negative length', 'Content-Length: -5\r\n'],
    ['a length with a sign', 'Content-Length: +5\r\n'],
    ['an unknown coding', 'Transfer-Encoding: gzip\r\n'],
    ['chunks twice over', 'Transfer-Encoding: chunked, chunked, identity\r\n'],
  ])('%s', async (_, lengths) => {
    const grant = disk.uploadGrant(5)
    const target = targetOf(await disk.storage.signUpload(grant))
    const head = `PUT ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lengths}\r\n`
    const smuggled = 'GET /storage/ HTTP/1.1\r\nHost: x\r\n\r\n'
    const answer = await raw(head, '5\r\nhello\r\n0\r\n\r\n', smuggled)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect((await disk.storage.storedSize(grant.key)) ?? 0).toBe(0)
    await expectAllQuiet()
  })

  it('a chunked body that goes on and on', async () => {
    const grant = disk.uploadGrant(MiB)
    const target = targetOf(await disk.storage.signUpload(grant))
    const head = `PUT ${target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
    const socket = connect(disk.port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined)
    socket.write(head)
    const chunk = Buffer.concat([
      Buffer.from('10000\r\n'),
      Buffer.alloc(0x10000),
      Buffer.from('\r\n'),
    ])
    let sent = 0
    const closed = untilClosed(socket)
    while (!socket.destroyed) {
      sent += chunk.length
      if (socket.write(chunk)) continue
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
    }
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 413 /)
    expect(sent).toBeLessThan(64 * MiB)
    expect(await disk.storage.storedSize(grant.key)).toBe(0)
    await expectAllQuiet()
  })
})

describe('a refused upload', () => {
  it('is heard out for a while, so that the client sees the answer and no reset', async () => {
    const grant = disk.uploadGrant(8 * MiB)
    const target = targetOf(await disk.storage.signUpload(grant))
    const socket = connect(disk.port, '127.0.0.1')
    const faults: Error[] = []
    socket.on('error', (error) => faults.push(error))
    const type = 'Content-Type: text/html'
    socket.write(
      `PUT ${target} HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${grant.size}\r\n\r\n`,
    )
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 403 /)
    socket.write(Buffer.alloc(grant.size))
    await untilClosed(socket)
    expect([faults, socket.bytesWritten > grant.size]).toEqual([[], true])
    await expectAllQuiet()
  })
})

describe('sealing while others write', () => {
  it('gives a file of exactly its size or none, whoever is first', async () => {
    for (let round = 0; round < 30; round += 1) {
      const grant = disk.uploadGrant(3 * MiB)
      await put(grant, Buffer.alloc(grant.size, 1))
      const [written, sealed] = await Promise.allSettled([
        put(grant, Buffer.alloc(grant.size, 2)),
        disk.storage.seal(grant.key, grant.size),
      ])
      if (sealed.status === 'rejected') {
        expect(sealed.reason).toMatchObject({ name: 'SizeMismatch' })
        await disk.storage.remove(grant.key)
        continue
      }
      const bytes = await readFile(join(disk.dataDir, 'files', grant.key.slice(0, 2), grant.key))
      expect(bytes.length).toBe(grant.size)
      expect(bytes.equals(Buffer.alloc(grant.size, bytes[0]))).toBe(true)
      if (written.status === 'fulfilled') expect([200, 409]).toContain(written.value.status)
      expect(await readdir(join(disk.dataDir, 'uploads'))).not.toContain(grant.key)
    }
    await expectAllQuiet()
  })
})

describe('a disk that fails', () => {
  it('when it is full: 503, and what is stored stays', async () => {
    const grant = disk.uploadGrant(2 * MiB)
    // Every write to this device fails as a full disk does.
    await symlink('/dev/full', join(disk.dataDir, 'uploads', grant.key))
    const answer = await put(grant, randomBytes(grant.size), { Range: 'bytes=0-' })
    expect([answer.status, codeOf(answer)]).toEqual([503, 'UNAVAILABLE'])
    expect(disk.logged.at(-1)).toMatchObject({ level: 50, err: { code: 'ENOSPC' } })
    expect(await openFiles()).toEqual([])
    // With room again the same upload goes through.
    expect((await put(grant, randomBytes(grant.size))).status).toBe(200)
    await expectAllQuiet()
  })

  it('when it is gone: 503, not ready, and well again when it is back', async () => {
    const grant = disk.uploadGrant(5)
    const [uploads, aside] = [join(disk.dataDir, 'uploads'), join(disk.dataDir, 'aside')]
    await rename(uploads, aside)
    await writeFile(uploads, '')
    await expect(disk.storage.check()).rejects.toThrow('ENOTDIR')
    const answer = await put(grant, 'hello')
    expect([answer.status, codeOf(answer)]).toEqual([503, 'UNAVAILABLE'])
    await rename(uploads, join(disk.dataDir, 'was a file'))
    await rename(aside, uploads)
    await disk.storage.check()
    expect((await put(grant, 'hello')).status).toBe(200)
  })
})

describe('after a crash', () => {
  const reopen = () =>
    openDiskStorage({
      dataDir: disk.dataDir,
      appUrl: new URL(`http://127.0.0.1:${disk.port}`),
      secret: 'a secret that only this test run knows',
      clock: disk.clock,
      log: pino({ level: 'silent' }),
      uploads: { touch: async () => true },
    })

  it('sealing can begin again, wherever it was cut off', async () => {
    const [before, between, after] = [newStorageKey(), newStorageKey(), newStorageKey()]
    const fanOut = (key: string) => join(disk.dataDir, 'files', key.slice(0, 2))
    await writeFile(join(disk.dataDir, 'uploads', before), 'hello')
    await writeFile(join(disk.dataDir, 'uploads', between), 'hello')
    await mkdir(fanOut(between), { recursive: true })
    await mkdir(fanOut(after), { recursive: true })
    await writeFile(join(fanOut(after), after), 'hello')
    const reopened = await reopen()
    for (const key of [before, between, after]) {
      await reopened.seal(key, 5)
      expect((await readFile(join(fanOut(key), key))).toString()).toBe('hello')
      expect(await readdir(join(disk.dataDir, 'uploads'))).not.toContain(key)
    }
    await reopened.close()
  })

  it('URLs that were given work on, and uploads continue', async () => {
    const grant = disk.uploadGrant(10)
    await put(grant, '0123', { 'Transfer-Encoding': 'chunked' })
    const reopened = await reopen()
    expect(await reopened.signUpload(grant)).toBe(await disk.storage.signUpload(grant))
    expect(await reopened.storedSize(grant.key)).toBe(4)
    await reopened.close()
  })
})

describe('close', () => {
  it('ends what runs, keeps what came, and refuses what comes', async () => {
    const closing = await openDiskServer()
    const grant = closing.uploadGrant(10)
    const url = await closing.storage.signUpload(grant)
    const headers = { ...octets, 'Content-Length': 10 }
    const client = request(url, { method: 'PUT', agent: false, headers })
    client.on('error', () => undefined)
    client.write('0123')
    while ((await send(url, { method: 'HEAD' })).headers['upload-offset'] !== '4');
    const sealed = closing.uploadGrant(64 * MiB)
    const large = await closing.storage.signUpload(sealed)
    await send(large, { method: 'PUT', headers: octets, body: Buffer.alloc(sealed.size) })
    await closing.storage.seal(sealed.key, sealed.size)
    const download = closing.downloadGrant(sealed.key, sealed.size)
    const reader = request(await closing.storage.signDownload(download), { agent: false })
    reader.on('error', () => undefined).end()
    const [half] = (await once(reader, 'response')) as [IncomingMessage]
    half.on('error', () => undefined)
    expect(closing.storage.activeTransfers()).toBe(2)
    const closed = closing.storage.close()
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(503)
    client.destroy()
    await closed
    half.resume()
    await untilClosed(half)
    expect(half.complete).toBe(false)
    expect(await closing.storage.storedSize(grant.key)).toBe(4)
    expect((await send(url, { method: 'HEAD' })).status).toBe(503)
    await closing.close()
  })
})
