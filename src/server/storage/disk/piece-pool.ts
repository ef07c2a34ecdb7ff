import { transferLimits } from './transfer-limits.ts'

const { burstPieces, bursts, pieceBytes } = transferLimits

/**
 * The memory in which downloads bring bytes from the disk to their sockets, lent for as long as that
 * takes: so it is bounded by what moves. What a reader lets wait, of which there is one piece for a
 * download at most, is out on its own account until it comes back.
 */
export class PiecePool {
  readonly #free: Buffer[] = []
  readonly #queue: (() => void)[] = []
  #lent = 0

  /** Resolves with so many pieces, `burstPieces` at most, when it is the caller's turn. */
  async borrow(count: number): Promise<Buffer[]> {
    if (this.#lent < bursts) this.#lent += 1
    else await new Promise<void>((resolve) => this.#queue.push(resolve))
    const length = Math.min(count, burstPieces)
    return Array.from({ length }, () => this.#free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes))
  }

  /** Ends the turn that `borrow` began. Of what it lent, `waiting` comes back later. */
  giveBack(pieces: readonly Buffer[], waiting?: Buffer): void {
    for (const piece of pieces) if (piece !== waiting) this.take(piece)
    const next = this.#queue.shift()
    if (next) next()
    else this.#lent -= 1
  }

  /** Takes back a piece that was waiting. Nobody may look at it afterwards. */
  take(piece: Buffer): void {
    if (this.#free.length < bursts * burstPieces) this.#free.push(piece)
    // Left to the garbage collector, it would lie about for long.
    else if (piece.buffer instanceof ArrayBuffer) piece.buffer.transfer(0)
  }
}
