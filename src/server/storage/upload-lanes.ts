import type { AppError } from '../errors.ts'

/** The sole right to change the bytes under one key, held until `leave`. */
export interface UploadLane {
  /** Aborts, with a `AppError` as its reason, when somebody else wants the key. */
  readonly signal: AbortSignal
  leave(): void
}

/**
 * Lets one at a time write to, seal or remove a key. Whoever comes next asks the holder to stop and
 * waits until it has left, so the newest always wins and never meets half a write.
 */
export class UploadLanes {
  readonly #latest = new Map<string, { abort: AbortController; left: Promise<void> }>()

  /** Resolves when all earlier holders have left; each of them was stopped with `refusal`. */
  async enter(key: string, refusal: AppError): Promise<UploadLane> {
    const earlier = this.#latest.get(key)
    const abort = new AbortController()
    const { promise: left, resolve } = Promise.withResolvers<void>()
    const lane = { abort, left }
    this.#latest.set(key, lane)
    earlier?.abort.abort(refusal)
    await earlier?.left
    return {
      signal: abort.signal,
      leave: () => {
        if (this.#latest.get(key) === lane) this.#latest.delete(key)
        resolve()
      },
    }
  }

  /** Asks every holder to stop. */
  stopAll(refusal: AppError): void {
    for (const { abort } of this.#latest.values()) abort.abort(refusal)
  }
}
