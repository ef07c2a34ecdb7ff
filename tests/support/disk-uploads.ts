import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request,
} from 'node:http'
import { join } from 'node:path'
import type { PartGrant, UploadGrant } from '../../src/server/storage/storage.ts'
import type { DiskServer } from './disk-server.ts'
import { sha256 } from './make.ts'
import { type Answer, send } from './send.ts'

/** The response to a PUT, or 'cut' if the connection closed without one. */
export type Ending =
  | { status: number; code: string | undefined; headers: IncomingHttpHeaders }
  | 'cut'

/** A PUT whose body the test writes in pieces. */
export interface OpenPut {
  client: ClientRequest
  ended: Promise<Ending>
  /** Resolves when the bytes are in the kernel's buffer. */
  write(bytes: Buffer): Promise<void>
}

/** Starts a PUT. Headers are sent with the first bytes, or by `client.flushHeaders`. */
function openPut(url: string, headers: OutgoingHttpHeaders): OpenPut {
  const client = request(url, { method: 'PUT', agent: false, headers })
  client.on('error', () => undefined)
  const ended = new Promise<Ending>((resolve) => {
    client.on('close', () => resolve('cut'))
    client.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('error', () => undefined)
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response
        const code = body === '' ? undefined : JSON.parse(body).code
        resolve({ status, code, headers: received })
        client.destroy()
      })
    })
  })
  const write = (bytes: Buffer): Promise<void> =>
    new Promise((resolve) => client.write(bytes, () => resolve()))
  return { client, ended, write }
}

/** Returns the number of stored bytes, from Upload-Offset. */
export function offsetOf({ headers }: Pick<Answer, 'headers'>): number {
  return Number(headers['upload-offset'] ?? Number.NaN)
}

/** Headers for a body of unknown length. */
export const chunked = { 'Transfer-Encoding': 'chunked' }

/** An upload to a disk server through a single URL. */
export interface WholeUpload {
  grant: UploadGrant
  key: string
  url(): Promise<string>
  put(body: Buffer | string, headers?: OutgoingHttpHeaders): Promise<Answer>
  open(headers: OutgoingHttpHeaders): Promise<OpenPut>
  head(): Promise<Answer>
  /** Gets the number of stored bytes by HEAD. */
  offset(): Promise<number>
  /**
   * Polls by HEAD until `bytes` bytes are stored. Each HEAD flushes a transfer in progress. Returns
   * the number of polls.
   */
  untilStored(bytes: number): Promise<number>
  /** Reads the bytes on disk. */
  stored(): Promise<Buffer>
  /** Returns the upload's files in the incoming directory. Empty once it is sealed. */
  left(): Promise<string[]>
  /** Seals the upload and returns its SHA-256. */
  seal(): Promise<string | null>
}

/** Creates an upload with a new key. `changes` override its grant. */
export function wholeUpload(
  disk: DiskServer,
  size: number,
  changes?: Partial<UploadGrant>,
): WholeUpload {
  const grant = disk.uploadGrant(size, changes)
  const { key } = grant
  const type = { 'Content-Type': grant.mimeType }
  const folder = join(disk.dataDir, 'uploads')
  const url = () => disk.storage.signUpload(grant)
  const head = async () => send(await url(), { method: 'HEAD' })
  const offset = async () => {
    const response = await head()
    if (response.status !== 200) throw new Error(`HEAD answered ${response.status}.`)
    return offsetOf(response)
  }
  return {
    grant,
    key,
    url,
    put: async (body, headers) =>
      send(await url(), { method: 'PUT', body, headers: { ...type, ...headers } }),
    open: async (headers) => openPut(await url(), { ...type, ...headers }),
    head,
    offset,
    untilStored: async (bytes) => {
      let asked = 1
      while ((await offset()) < bytes) asked += 1
      return asked
    },
    stored: () => readFile(join(folder, key)),
    left: async () => (await readdir(folder)).filter((name) => name.startsWith(key)),
    seal: async () => {
      await disk.storage.seal(key, size)
      return disk.storage.sha256(key)
    },
  }
}

/** A part in transfer. */
export interface StartedPart extends Pick<OpenPut, 'client' | 'ended'> {
  /** Sends the rest of the part. */
  finish(): void
}

/** A multipart upload of random bytes to a disk server. */
export interface CutUpload extends Omit<WholeUpload, 'put' | 'open' | 'head' | 'offset' | 'url'> {
  bytes: Buffer
  sha256: string
  /** The same upload through a single URL. */
  whole: WholeUpload
  partNumbers: number[]
  /** The same upload on another server with the same directory. */
  at(server: DiskServer): CutUpload
  part(partNumber: number): PartGrant
  bytesOf(partNumber: number): Buffer
  urlOf(partNumber: number): Promise<string>
  /** Sends a part, with its own bytes or `body`. */
  put(partNumber: number, headers?: OutgoingHttpHeaders, body?: Buffer): Promise<Answer>
  putAll(): Promise<void>
  open(partNumber: number, headers?: OutgoingHttpHeaders): Promise<OpenPut>
  /** Starts sending a part. Resolves when the server is receiving it. */
  begin(partNumber: number): Promise<StartedPart>
  /** Returns status and offset from a HEAD of the part. */
  headOf(partNumber: number): Promise<[number, number]>
  /** Returns the numbers of the complete parts. */
  held(): Promise<number[]>
  untilHeld(...partNumbers: number[]): Promise<void>
}

/** Creates an upload of `count` parts of `partSize` bytes. The last part is half as large. */
export function cutUpload(disk: DiskServer, count: number, partSize: number): CutUpload {
  const bytes = randomBytes((count - 1) * partSize + Math.ceil(partSize / 2))
  return cutBytes(disk, bytes, partSize)
}

function cutBytes(
  disk: DiskServer,
  bytes: Buffer,
  partSize: number,
  known?: UploadGrant,
): CutUpload {
  const whole = wholeUpload(disk, bytes.length, known)
  const { key, grant } = whole
  const count = Math.ceil(bytes.length / partSize)
  const type = { 'Content-Type': grant.mimeType }
  const part = (partNumber: number): PartGrant => {
    const offset = (partNumber - 1) * partSize
    return { ...grant, partNumber, offset, size: Math.min(partSize, bytes.length - offset) }
  }
  const bytesOf = (partNumber: number) => {
    const { offset, size } = part(partNumber)
    return bytes.subarray(offset, offset + size)
  }
  const urlOf = async (partNumber: number) =>
    (await disk.storage.signParts([part(partNumber)]))[0] ?? ''
  const put: CutUpload['put'] = async (partNumber, headers, body = bytesOf(partNumber)) =>
    send(await urlOf(partNumber), { method: 'PUT', body, headers: { ...type, ...headers } })
  const open: CutUpload['open'] = async (partNumber, headers) => {
    const announced = { 'Content-Length': part(partNumber).size }
    return openPut(await urlOf(partNumber), { ...type, ...announced, ...headers })
  }
  const held = async () => (await disk.storage.listParts(key)).map(({ partNumber }) => partNumber)
  const partNumbers = Array.from({ length: count }, (_, index) => index + 1)
  return {
    ...whole,
    bytes,
    sha256: sha256(bytes),
    whole,
    partNumbers,
    at: (server) => cutBytes(server, bytes, partSize, grant),
    part,
    bytesOf,
    urlOf,
    put,
    putAll: async () => void (await Promise.all(partNumbers.map((partNumber) => put(partNumber)))),
    open,
    begin: async (partNumber) => {
      const before = disk.touched.length
      const { client, ended, write } = await open(partNumber)
      await write(bytesOf(partNumber).subarray(0, 10))
      while (disk.touched.length === before) await new Promise(setImmediate)
      return { client, ended, finish: () => client.end(bytesOf(partNumber).subarray(10)) }
    },
    headOf: async (partNumber) => {
      const response = await send(await urlOf(partNumber), { method: 'HEAD' })
      return [response.status, offsetOf(response)]
    },
    held,
    untilHeld: async (...wanted) => {
      while (String(await held()) !== String(wanted)) await new Promise(setImmediate)
    },
  }
}
