import type { FileHandle } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ByteRange } from '../byte-range.ts'
import type { PiecePool } from './piece-pool.ts'
import { transferLimits } from './transfer-limits.ts'

const { burstPieces, keptPieceBytes, pieceBytes } = transferLimits

/**
 * Sends a range of a file as the body of a response. All earlier responses of the connection must
 * have been sent. Resolves when the kernel has taken all bytes, or the client has left.
 *
 * It reads into borrowed memory, writes until the kernel takes no more, and gives the memory back.
 * Bytes that were not written are read again when the client has made room. So a download keeps one
 * piece of memory while it waits for its client, and none while it waits for its turn to read.
 * @throws {Error} when the file ends before `end`, or cannot be read.
 */
export async function sendBytes(
  file: FileHandle,
  { start, end }: ByteRange,
  response: ServerResponse,
  { pool, onSent }: { pool: PiecePool; onSent(count: number): void },
): Promise<void> {
  const { socket } = response.req
  let count = 1
  for (let offset = start; offset <= end && !socket.destroyed; ) {
    const left = end + 1 - offset
    const pieces = await pool.borrow(Math.min(count, Math.ceil(left / pieceBytes)))
    let burst: Burst = { bytes: 0, pieces: 0 }
    try {
      if (socket.destroyed) return
      const { bytesRead } = await file.readv(pieces, offset)
      if (bytesRead === 0) throw new Error(`the file ends at ${offset}, before ${end + 1}`)
      if (socket.destroyed) return
      burst = writeOut(pieces, Math.min(bytesRead, left), response)
    } finally {
      pool.giveBack(pieces, burst.waiting?.piece)
    }
    offset += burst.bytes
    onSent(burst.bytes)
    const { waiting } = burst
    if (waiting) {
      await settled(waiting.taken, socket)
      // After a disconnect the kernel may still read the piece, so it is not given back.
      if (socket.destroyed) return
      pool.take(waiting.piece)
    }
    // A client that took this many pieces without a pause will probably take as many again.
    count = waiting ? burst.pieces : Math.min(burstPieces, count * 2)
  }
}

/**
 * Sends a range of bytes in memory as the body of a response, and ends the response. Node hands
 * the headers and the first piece to the kernel in one call. Resolves when the kernel has taken all
 * bytes, or the client has left. Nobody may change the bytes before that.
 */
export async function sendKept(
  bytes: Buffer,
  { start, end }: ByteRange,
  response: ServerResponse,
  onSent: (count: number) => void,
): Promise<void> {
  const { socket } = response.req
  for (let offset = start; offset <= end && !socket.destroyed; offset += keptPieceBytes) {
    const piece = bytes.subarray(offset, Math.min(offset + keptPieceBytes, end + 1))
    const taken = writeNow(piece, response)
    onSent(piece.length)
    if (response.writableLength > 0) await settled(taken, socket)
  }
  response.end()
}

/** What one call of `writeOut` wrote. */
interface Burst {
  bytes: number
  /** The number of buffers that were written. */
  pieces: number
  /** The last of these buffers, if the kernel has not taken all of it. */
  waiting?: { piece: Buffer; taken: Promise<void> }
}

/**
 * Writes the first `bytes` bytes of the pieces. Stops after the first piece that the kernel does
 * not take completely.
 */
function writeOut(pieces: readonly Buffer[], bytes: number, response: ServerResponse): Burst {
  const burst: Burst = { bytes: 0, pieces: 0 }
  for (const piece of pieces) {
    const length = Math.min(piece.length, bytes - burst.bytes)
    if (length === 0) break
    const taken = writeNow(piece.subarray(0, length), response)
    burst.bytes += length
    burst.pieces += 1
    if (response.writableLength > 0) return { ...burst, waiting: { piece, taken } }
  }
  return burst
}

/**
 * Writes the bytes immediately. Without `cork` and `uncork`, Node would hold them back until the
 * next tick, to write later ones together with them. Resolves when the kernel has taken all of
 * them.
 */
function writeNow(bytes: Buffer, response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  response.socket?.cork()
  response.write(bytes, () => resolve())
  response.socket?.uncork()
  return promise
}

/** Waits for `taken`, or for the end of the connection if that comes first. */
function settled(taken: Promise<void>, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      socket.off('close', settle)
      resolve()
    }
    socket.once('close', settle)
    void taken.then(settle)
  })
}
