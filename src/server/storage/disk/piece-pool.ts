import { transferLimits } from './transfer-limits.ts'

const { burstPieces, bursts, pieceBytes } = transferLimits

/**
 * The memory in which downloads copy bytes from the disk to the sockets. It is divided into pieces.
 * A download borrows pieces only for the moment of a copy, and only some downloads can copy in
 * parallel, so little memory is needed. A download whose client is slow keeps one piece until the
 * client has taken it.
 */
export class PiecePool {
  readonly #free: Buffer[] = []
  readonly #queue: (() => void)[] = []
  #lent = 0

  /**
   * Lends `count` pieces, but at most `burstPieces`. Waits while `bursts` other callers have
   * borrowed pieces.
   */
  async borrow(count: number): Promise<Buffer[]> {
    if (this.#lent < bursts) this.#lent += 1
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
    const length = Math.min(count, burstPieces)
    return Array.from({ length }, () => this.#free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes))
  }

  /**
   * Gives back what `borrow` lent, and lets the next caller borrow. The piece `waiting` is still in
   * use. The caller returns it later with `take`.
   */
  giveBack(pieces: readonly Buffer[], waiting?: Buffer): void {
    for (const piece of pieces) if (piece !== waiting) this.take(piece)
    const next = this.#queue.shift()
    if (next) next()
    else this.#lent -= 1
  }

  /**
   * Takes back a single piece that was still in use at `giveBack`. The caller must not use it any
   * more.
   */
  take(piece: Buffer): void {
    if (this.#free.length < bursts * burstPieces) this.#free.push(piece)
    // This frees the memory immediately. The garbage collector would free it much later.
    else if (piece.buffer instanceof ArrayBuffer) piece.buffer.transfer(0)
  }
}
