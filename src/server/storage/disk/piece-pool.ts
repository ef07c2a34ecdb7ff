import { transferLimits } from './transfer-limits.ts'

const { burstPieces, bursts, pieceBytes } = transferLimits

/**
 * The memory for the bytes of downloads between the disk and the sockets. A download borrows pieces
 * only while its bytes move, so the memory stays within the number of downloads that move at once.
 * A download whose client is slow keeps at most one piece until the client has taken it.
 */
export class PiecePool {
  readonly #free: Buffer[] = []
  readonly #queue: (() => void)[] = []
  #lent = 0

  /** Resolves with `count` pieces (at most `burstPieces`) when it is the caller's turn. */
  async borrow(count: number): Promise<Buffer[]> {
    if (this.#lent < bursts) this.#lent += 1
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
    const length = Math.min(count, burstPieces)
    return Array.from({ length }, () => this.#free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes))
  }

  /**
   * Ends the turn that `borrow` began and takes the pieces back, except `waiting`, which comes back
   * later.
   */
  giveBack(pieces: readonly Buffer[], waiting?: Buffer): void {
    for (const piece of pieces) if (piece !== waiting) this.take(piece)
    const next = this.#queue.shift()
    if (next) next()
    else this.#lent -= 1
  }

  /** Takes back a piece that was waiting. The caller must not use it afterwards. */
  take(piece: Buffer): void {
    if (this.#free.length < bursts * burstPieces) this.#free.push(piece)
    // The memory is freed at once, because the garbage collector would keep it for long.
    else if (piece.buffer instanceof ArrayBuffer) piece.buffer.transfer(0)
  }
}
