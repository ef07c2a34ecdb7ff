import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request,
} from 'node:http'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { PartGrant, UploadGrant } from '../../src/server/storage/storage.ts'
import type { DiskServer } from './disk-server.ts'
import { sha256 } from './make.ts'
import { type HttpResponse, send } from './send.ts'

/** The response to a PUT, or 'cut' if the connection closed before one arrived. */
export type PutOutcome =
  | { status: number; code: string | undefined; headers: IncomingHttpHeaders }
  | 'cut'

/** A PUT whose body the test writes in pieces. */
export interface OpenPut {
  client: ClientRequest
  outcome: Promise<PutOutcome>
  /** Resolves when the operating system has accepted the bytes for sending. */
  write(bytes: Buffer): Promise<void>
}

/**
 * Starts a PUT. Its headers are sent with the first bytes of the body, or earlier by
 * `client.flushHeaders`.
 */
function openPut(url: string, headers: OutgoingHttpHeaders): OpenPut {
  const client = request(url, { method: 'PUT', agent: false, headers })
  client.on('error', () => undefined)
  const outcomePromise = new Promise<PutOutcome>((resolve) => {
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
  return { client, outcome: outcomePromise, write }
}

/** Returns how many bytes are stored according to a response's Upload-Offset header. */
export function uploadOffsetOf({ headers }: Pick<HttpResponse, 'headers'>): number {
  return Number(headers['upload-offset'] ?? Number.NaN)
}

export const chunkedEncoding = { 'Transfer-Encoding': 'chunked' }

/** An upload to a disk server with a single URL. */
export interface SingleUpload {
  grant: UploadGrant
  key: string
  url(): Promise<string>
  put(body: Buffer | string, headers?: OutgoingHttpHeaders): Promise<HttpResponse>
  open(headers: OutgoingHttpHeaders): Promise<OpenPut>
  head(): Promise<HttpResponse>
  /** Sends a HEAD request and returns how many bytes are stored. */
  offset(): Promise<number>
  /**
   * Sends HEAD requests until `bytes` bytes are stored. Each one makes the server flush the
   * transfer in progress. Returns how many requests it took.
   */
  waitUntilStored(bytes: number): Promise<number>
  stored(): Promise<Buffer>
  /**
   * Returns the upload's files in the directory for incoming bytes. Once the upload is sealed,
   * there are none.
   */
  remainingFiles(): Promise<string[]>
  seal(): Promise<string | null>
}

/** Creates an upload with a new key. `changes` override fields in its grant. */
export function singleUpload(
  disk: DiskServer,
  size: number,
  changes?: Partial<UploadGrant>,
): SingleUpload {
  const grant = disk.uploadGrant(size, changes)
  const { key } = grant
  const typeHeader = { 'Content-Type': grant.mimeType }
  const folder = join(disk.dataDir, 'uploads')
  const url = () => disk.storage.signUpload(grant)
  const head = async () => send(await url(), { method: 'HEAD' })
  const offset = async () => {
    const response = await head()
    if (response.status !== 200) throw new Error(`HEAD answered ${response.status}.`)
    return uploadOffsetOf(response)
  }
  return {
    grant,
    key,
    url,
    put: async (body, headers) =>
      send(await url(), { method: 'PUT', body, headers: { ...typeHeader, ...headers } }),
    open: async (headers) => openPut(await url(), { ...typeHeader, ...headers }),
    head,
    offset,
    waitUntilStored: async (bytes) => {
      let requestCount = 1
      while ((await offset()) < bytes) requestCount += 1
      return requestCount
    },
    stored: () => readFile(join(folder, key)),
    remainingFiles: async () => (await readdir(folder)).filter((name) => name.startsWith(key)),
    seal: async () => {
      const crc32 = await disk.storage.seal(key, size)
      const digest = await disk.storage.digest(key)
      expect([null, digest?.crc32]).toContain(crc32)
      return digest?.sha256 ?? null
    },
  }
}

export interface StartedPart extends Pick<OpenPut, 'client' | 'outcome'> {
  finish(): void
}

/** A multipart upload of random bytes to a disk server. */
export interface MultipartUpload
  extends Omit<SingleUpload, 'put' | 'open' | 'head' | 'offset' | 'url'> {
  bytes: Buffer
  sha256: string
  /** An upload of the same file with a single URL, instead of in parts. */
  single: SingleUpload
  partNumbers: number[]
  /** Returns the same upload, but sent to another server on the same directory. */
  onServer(server: DiskServer): MultipartUpload
  part(partNumber: number): PartGrant
  partBytes(partNumber: number): Buffer
  partUrl(partNumber: number): Promise<string>
  /** Sends a part. If `body` is given, sends that instead of the part's own bytes. */
  put(partNumber: number, headers?: OutgoingHttpHeaders, body?: Buffer): Promise<HttpResponse>
  putAll(): Promise<void>
  open(partNumber: number, headers?: OutgoingHttpHeaders): Promise<OpenPut>
  /** Starts sending a part. Resolves when the server has begun to receive it. */
  startPart(partNumber: number): Promise<StartedPart>
  /** Sends a HEAD request for a part. Returns the status and upload offset from the response. */
  headPart(partNumber: number): Promise<[number, number]>
  completeParts(): Promise<number[]>
  waitForParts(...partNumbers: number[]): Promise<void>
}

/** Creates an upload with `count` parts of `partSize` bytes. The last part is half that size. */
export function multipartUpload(
  disk: DiskServer,
  count: number,
  partSize: number,
): MultipartUpload {
  const bytes = randomBytes((count - 1) * partSize + Math.ceil(partSize / 2))
  return makeMultipartUpload(disk, bytes, partSize)
}

function makeMultipartUpload(
  disk: DiskServer,
  bytes: Buffer,
  partSize: number,
  existingGrant?: UploadGrant,
): MultipartUpload {
  const single = singleUpload(disk, bytes.length, existingGrant)
  const { key, grant } = single
  const count = Math.ceil(bytes.length / partSize)
  const typeHeader = { 'Content-Type': grant.mimeType }
  const part = (partNumber: number): PartGrant => {
    const offset = (partNumber - 1) * partSize
    return { ...grant, partNumber, offset, size: Math.min(partSize, bytes.length - offset) }
  }
  const partBytes = (partNumber: number) => {
    const { offset, size } = part(partNumber)
    return bytes.subarray(offset, offset + size)
  }
  const partUrl = async (partNumber: number) =>
    (await disk.storage.signParts([part(partNumber)]))[0] ?? ''
  const put: MultipartUpload['put'] = async (partNumber, headers, body = partBytes(partNumber)) =>
    send(await partUrl(partNumber), { method: 'PUT', body, headers: { ...typeHeader, ...headers } })
  const open: MultipartUpload['open'] = async (partNumber, headers) => {
    const lengthHeader = { 'Content-Length': part(partNumber).size }
    return openPut(await partUrl(partNumber), { ...typeHeader, ...lengthHeader, ...headers })
  }
  const completeParts = async () =>
    (await disk.storage.listParts(key)).map(({ partNumber }) => partNumber)
  const partNumbers = Array.from({ length: count }, (_, index) => index + 1)
  return {
    ...single,
    bytes,
    sha256: sha256(bytes),
    single,
    partNumbers,
    onServer: (server) => makeMultipartUpload(server, bytes, partSize, grant),
    part,
    partBytes,
    partUrl,
    put,
    putAll: async () => void (await Promise.all(partNumbers.map((partNumber) => put(partNumber)))),
    open,
    startPart: async (partNumber) => {
      const touchCountBefore = disk.touchedKeys.length
      const { client, outcome, write } = await open(partNumber)
      await write(partBytes(partNumber).subarray(0, 10))
      while (disk.touchedKeys.length === touchCountBefore) await new Promise(setImmediate)
      return { client, outcome, finish: () => client.end(partBytes(partNumber).subarray(10)) }
    },
    headPart: async (partNumber) => {
      const response = await send(await partUrl(partNumber), { method: 'HEAD' })
      return [response.status, uploadOffsetOf(response)]
    },
    completeParts,
    waitForParts: async (...expected) => {
      while (String(await completeParts()) !== String(expected)) await new Promise(setImmediate)
    },
  }
}
