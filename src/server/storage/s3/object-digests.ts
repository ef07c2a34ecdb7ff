import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { reach } from './answers.ts'

/** If the bucket sends no byte of an object for this long, the reading fails. */
const stallMs = 30_000

/**
 * Computes the SHA-256 of objects by reading them. Callers that ask for the same object at the same
 * time share one reading. This class reads one object at a time. So a user who makes the server
 * read large objects again and again delays only other requests that need a SHA-256 from this
 * class.
 */
export class ObjectDigests {
  readonly #open: (key: string) => Promise<Readable | null>
  readonly #running = new Map<string, Promise<string | null>>()
  #last: Promise<unknown> = Promise.resolve()

  /** @param open opens an object for reading. It returns null when there is no such object. */
  constructor(open: (key: string) => Promise<Readable | null>) {
    this.#open = open
  }

  /**
   * Returns the SHA-256 of an object in hexadecimal, or null when there is no such object.
   * @throws {AppError} UNAVAILABLE when the bucket does not send the whole object.
   */
  of(key: string): Promise<string | null> {
    const running = this.#running.get(key)
    if (running) return running
    const read = () => this.#read(key)
    const asked = this.#last.then(read, read).finally(() => this.#running.delete(key))
    this.#last = asked
    this.#running.set(key, asked)
    return asked
  }

  async #read(key: string): Promise<string | null> {
    const bytes = await this.#open(key)
    return bytes && reach(digestOf(bytes))
  }
}

async function digestOf(bytes: Readable): Promise<string> {
  const hash = createHash('sha256')
  const stalled = setTimeout(() => bytes.destroy(new Error('no byte came in time')), stallMs)
  try {
    for await (const chunk of bytes) {
      hash.update(chunk)
      stalled.refresh()
    }
  } finally {
    clearTimeout(stalled)
  }
  return hash.digest('hex')
}
