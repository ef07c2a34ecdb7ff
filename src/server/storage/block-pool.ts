const blockBytes = 1024 * 1024
/** What a handful of transfers need; more are made when they are asked for. */
const keptBlocks = 16

/**
 * Blocks that bytes are gathered in, used over and over: made anew for each part, they would cost a
 * third of the server's share in receiving it.
 */
export class BlockPool {
  readonly #free: Buffer[] = []

  /** A block of 1 MiB, with anything in it; or one of just `bytes` where that is less. */
  take(bytes: number): Buffer {
    if (bytes < blockBytes) return Buffer.allocUnsafeSlow(Math.max(1, bytes))
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(blockBytes)
  }

  /** Takes a block back that nobody reads or writes any more. */
  give(block: Buffer): void {
    if (block.length === blockBytes && this.#free.length < keptBlocks) this.#free.push(block)
  }
}
