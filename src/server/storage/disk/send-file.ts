import { closeSync, fstatSync, open, readv } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import { AppError } from '../../errors.ts'
import { type ByteRange, evaluateConditions, selectRange } from '../byte-range.ts'
import { contentHeaders } from '../download-headers.ts'
import type { DownloadGrant, OnBytes } from '../storage.ts'
import { nullIfMissing } from './file-system.ts'

const openFile = promisify(open)
const readPieces = promisify(readv)

const pieceBytes = 128 * 1024
/** The number of pieces read at once, together 1 MiB. Reading more isn't faster. */
const maxPieces = 8
/** The number of downloads that read concurrently. Node has four threads for file I/O. */
const bufferSetCount = 4

interface Download {
  request: IncomingMessage
  response: ServerResponse
  onBytes: OnBytes | undefined
  /** Called with the number of bytes just passed to the kernel. */
  onSent(count: number): void
}

/**
 * Sends files through a small pool of shared buffers. A download fills the buffers, writes until
 * the kernel accepts no more, and returns them to the pool. Once its client has caught up, it reads
 * the unsent bytes again. So a download uses 128 KiB while it waits for its client, and nothing
 * while it waits for buffers.
 */
export class FileSender {
  readonly #freeBuffers: Buffer[][] = Array.from({ length: bufferSetCount }, () =>
    Array.from({ length: maxPieces }, () => Buffer.allocUnsafeSlow(pieceBytes)),
  )
  readonly #waiting: ((buffers: Buffer[]) => void)[] = []
  /**
   * Buffers whose bytes the kernel has accepted. They are reused, because allocating a buffer costs
   * more than sending it.
   */
  readonly #spare: Buffer[] = []

  /**
   * Answers a GET or HEAD with a file or a single range, honoring conditional headers (200, 206 or
   * 304). Resolves when the response has been sent or the client has disconnected.
   * @throws {AppError} LINK_NOT_FOUND if there is no such file; 412 or 416, as required by the
   * conditional headers or the range.
   * @throws {Error} if the file's size differs from the grant, or it can't be read.
   */
  async send(path: string, grant: DownloadGrant, download: Download): Promise<void> {
    const file = await nullIfMissing(openFile(path, 'r'))
    if (file === null) throw new AppError('LINK_NOT_FOUND')
    // `fstatSync` and `closeSync` never wait for the disk on an open file, and handing them to a
    // thread would cost more than the calls themselves.
    try {
      assertSize(grant, fstatSync(file).size)
      if (download.response.destroyed) return
      const range = writeHead(grant, download)
      if (range) {
        await download.onBytes?.(range.start)
        await this.#sendBytes(file, range, download)
      }
      download.response.end()
    } finally {
      closeSync(file)
    }
  }

  async #sendBytes(
    file: number,
    { start, end }: ByteRange,
    { response, onSent }: Download,
  ): Promise<void> {
    const { socket } = response.req
    let pieceCount = maxPieces
    for (let offset = start; offset <= end && !socket.destroyed; ) {
      const remainingBytes = end + 1 - offset
      const buffers = await this.#acquireBuffers()
      let outcome: WriteOutcome
      try {
        if (socket.destroyed) return
        const pieces = buffers.slice(
          0,
          Math.min(pieceCount, Math.ceil(remainingBytes / pieceBytes)),
        )
        const { bytesRead } = await readPieces(file, pieces, offset)
        if (bytesRead === 0) throw new Error(`the file ends at ${offset}, before ${end + 1}`)
        if (socket.destroyed) return
        outcome = this.#writePieces(buffers, Math.min(bytesRead, remainingBytes), response)
      } finally {
        this.#releaseBuffers(buffers)
      }
      offset += outcome.bytes
      onSent(outcome.bytes)
      // A client that accepted this many pieces will probably accept as many again.
      pieceCount = outcome.flushed ? outcome.pieces : maxPieces
      if (outcome.flushed) await flushedOrClosed(outcome.flushed, socket)
    }
  }

  /**
   * Writes the first `bytes` bytes of the buffers. Stops at the first piece that the kernel doesn't
   * accept completely, and replaces its buffer, which is still in use.
   */
  #writePieces(buffers: Buffer[], bytes: number, response: ServerResponse): WriteOutcome {
    const outcome: WriteOutcome = { bytes: 0, pieces: 0 }
    for (const [at, piece] of buffers.entries()) {
      const length = Math.min(pieceBytes, bytes - outcome.bytes)
      if (length === 0) break
      const flushed = writeNow(piece.subarray(0, length), response)
      outcome.bytes += length
      outcome.pieces += 1
      if (response.writableLength === 0) continue
      buffers[at] = this.#spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
      void flushed.then(() => this.#spare.push(piece))
      return { ...outcome, flushed }
    }
    return outcome
  }

  async #acquireBuffers(): Promise<Buffer[]> {
    return this.#freeBuffers.pop() ?? new Promise((resolve) => this.#waiting.push(resolve))
  }

  #releaseBuffers(buffers: Buffer[]): void {
    const nextWaiter = this.#waiting.shift()
    if (nextWaiter) nextWaiter(buffers)
    else this.#freeBuffers.push(buffers)
  }
}

interface WriteOutcome {
  bytes: number
  pieces: number
  /**
   * Resolves when the kernel has accepted the rest of the last piece. Absent if nothing is pending.
   */
  flushed?: Promise<void>
}

/** Writes the response head. Returns the range to send, or null if the response has no body. */
function writeHead(grant: DownloadGrant, { request, response }: Download): ByteRange | null {
  const { size, version, createdAt } = grant
  const validators = { etag: `"${encodeURIComponent(version)}"`, lastModified: createdAt }
  const cacheHeaders = { ETag: validators.etag, 'Last-Modified': createdAt.toUTCString() }
  const outcome = evaluateConditions(request.headers, validators)
  if (outcome === 'failed') throw new AppError('PRECONDITION_FAILED')
  const headers = contentHeaders(grant)
  if (outcome === 'unmodified') {
    response.writeHead(304, { ...cacheHeaders, 'Cache-Control': headers['Cache-Control'] })
    return null
  }
  // RFC 9110 §14.2: a Range header is valid only with GET.
  const isGet = request.method === 'GET'
  const selected = isGet && outcome === 'range' ? selectRange(request.headers.range, size) : 'whole'
  if (selected === 'unsatisfiable') {
    const contentRange = { 'Content-Range': `bytes */${size}` }
    throw new AppError('RANGE_NOT_SATISFIABLE', { headers: contentRange })
  }
  const range = selected === 'whole' ? { start: 0, end: size - 1 } : selected
  response.writeHead(selected === 'whole' ? 200 : 206, {
    ...cacheHeaders,
    ...headers,
    'Accept-Ranges': 'bytes',
    'Content-Length': range.end - range.start + 1,
    ...(selected !== 'whole' && { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` }),
  })
  return isGet ? range : null
}

/** @throws {Error} if the stored size differs from the grant. */
export function assertSize(grant: Pick<DownloadGrant, 'key' | 'size'>, size: number): void {
  if (size !== grant.size) throw new Error(`${grant.key}: ${size} bytes, not ${grant.size}`)
}

/**
 * Writes bytes to the kernel immediately. Without `cork` and `uncork`, Node would delay them until
 * the next tick. Resolves when the kernel has accepted all of them.
 */
function writeNow(bytes: Buffer, response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  response.socket?.cork()
  response.write(bytes, () => resolve())
  response.socket?.uncork()
  return promise
}

function flushedOrClosed(flushed: Promise<void>, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      socket.off('close', finish)
      resolve()
    }
    socket.once('close', finish)
    void flushed.then(finish)
  })
}
