import { requestTimeoutMs } from './storage-request.ts'

/** How many parts are sent in parallel before the speed of the connection is known. */
const firstLimit = 4
/**
 * The fewest parts that are sent in parallel, unless two would be too slow to arrive in time. With
 * one part at a time, no bytes would be sent while its answer is awaited.
 */
const usualMinimum = 2
const usualMaximum = 4
/**
 * The most parts that are sent in parallel. With HTTP/1.1 a browser opens six connections to one
 * origin, and the API needs one of them.
 */
export const maxConcurrency = 5
/**
 * A part should not take longer than this. If it failed, many bytes would have to be sent again.
 */
const longPartMs = 30_000
/** A part that takes longer than this may reach the time-out of its request and be sent in vain. */
const longestPartMs = 0.9 * requestTimeoutMs
/**
 * If a part alone takes at most this, its connection waits for answers most of the time. So more
 * connections help.
 */
const shortPartMs = 500
/**
 * The speed is computed from this many of the last parts. Older ones say little about the present.
 */
const recentParts = 4

/**
 * The first bytes of a part only fill the buffers of the operating system. So its speed is measured
 * only from this time after its start.
 */
const bufferingMs = 10_000
/**
 * A speed that was measured for a shorter time is not reliable. Together with `bufferingMs` this is
 * one minute.
 */
const watchedMs = 50_000

/** How long a part took to arrive, and how many parts were being sent in parallel, including it. */
export interface PartTime {
  ms: number
  together: number
}

/**
 * Returns how many parts should be sent in parallel, computed from the times of the last parts that
 * arrived.
 *
 * The result is usually 2 to 4: as many as let each part arrive within 30 s, but at least 2. It is
 * 5 if a part alone takes at most 0.5 s, and 1 if two parts in parallel would both come near the
 * time-out of their requests. All parts share one bandwidth. So a part that took `ms` among
 * `together` parts would take `ms / together` alone, and a constant bandwidth always gives the same
 * result.
 */
export function limitFor(times: readonly PartTime[]): number {
  if (times.length === 0) return firstLimit
  const alone = times.reduce((sum, { ms, together }) => sum + ms / together, 0) / times.length
  if (alone <= shortPartMs) return maxConcurrency
  if (usualMinimum * alone > longestPartMs) return 1
  return Math.min(usualMaximum, Math.max(usualMinimum, Math.floor(longPartMs / alone)))
}

/**
 * How the sending of a part ended. `held`: storage has the part. `lost` says nothing about the
 * speed, because the connection may have been away for a while.
 */
export type PartEnd = 'held' | 'timed-out' | 'lost'

/** How many bytes of a part were sent until a moment. */
interface Reading {
  atMs: number
  bytes: number
}

interface PartInFlight {
  size: number
  startedAtMs: number
  /**
   * The most parts that were sent in parallel since this part began, or since other parts were
   * stopped.
   */
  together: number
  /** The speed of this part is measured between `from` and `last`. */
  from: Reading
  last: Reading
  stop: () => void
}

/**
 * Decides how many parts of one file may be sent in parallel. The times of the parts that arrive
 * set the limit (see `limitFor`). A part that times out, or is so slow that it would time out,
 * halves the limit until the next part arrives.
 *
 * With 20 KB/s, four parts in parallel would all time out again and again. So after a minute the
 * parts that have sent least are stopped, and the others get the whole bandwidth.
 */
export class Concurrency {
  readonly #partSize: number
  readonly #now: () => number
  readonly #parts = new Map<number, PartInFlight>()
  #times: readonly PartTime[] = []
  #limit = firstLimit

  /**
   * @param partSize the size in bytes of every part except the last.
   * @param now returns milliseconds since an arbitrary moment, for measuring durations.
   */
  constructor(partSize: number, now: () => number) {
    this.#partSize = partSize
    this.#now = now
  }

  /** How many parts may be sent in parallel. */
  get limit(): number {
    return this.#limit
  }

  /** How many parts are being sent now. */
  get inFlight(): number {
    return this.#parts.size
  }

  /**
   * Notes that the sending of a part of `size` bytes begins. `stop` is called at most once, when
   * the part must make room for the other parts.
   */
  begin(partNumber: number, size: number, stop: () => void): void {
    const start = { atMs: this.#now(), bytes: 0 }
    this.#parts.set(partNumber, {
      size,
      startedAtMs: start.atMs,
      together: 1,
      from: start,
      last: start,
      stop,
    })
    for (const part of this.#parts.values()) {
      part.together = Math.max(part.together, this.#parts.size)
    }
  }

  /** Notes how many bytes of a part were sent so far. This may stop parts, including this one. */
  sent(partNumber: number, bytes: number): void {
    const part = this.#parts.get(partNumber)
    if (!part) return
    const atMs = this.#now()
    part.last = { atMs, bytes: Math.min(bytes, part.size) }
    if (atMs - part.startedAtMs <= bufferingMs) part.from = part.last
    if (this.#parts.size === 1 || !isTooSlow(part)) return
    this.#halve(part)
    this.#stopSurplus()
  }

  /** Notes that a part is not being sent any more. */
  end(partNumber: number, how: PartEnd): void {
    const part = this.#parts.get(partNumber)
    if (!part) return
    this.#parts.delete(partNumber)
    if (how === 'held' && part.size === this.#partSize) {
      const time = { ms: this.#now() - part.startedAtMs, together: part.together }
      this.#times = [...this.#times, time].slice(-recentParts)
      this.#limit = limitFor(this.#times)
    }
    // If all bytes were sent, only the answer was missing, so the connection is not too slow.
    if (how === 'timed-out' && part.last.bytes < part.size) this.#halve(part)
  }

  /**
   * Halves the limit. Parts that time out together halve it only once, because each counts how many
   * parts were sent together with it.
   */
  #halve({ together }: PartInFlight) {
    // The earlier times say nothing about the present speed.
    this.#times = []
    this.#limit = Math.min(this.#limit, Math.max(1, Math.floor(together / 2)))
  }

  /**
   * Stops as many parts as the limit demands: those that have sent least. Parts whose bytes are all
   * sent are not stopped.
   */
  #stopSurplus() {
    const unsent = [...this.#parts].filter(([, { size, last }]) => last.bytes < size)
    const leastFirst = unsent.sort(([, one], [, other]) => one.last.bytes - other.last.bytes)
    const surplus = leastFirst.slice(0, Math.max(0, this.#parts.size - this.#limit))
    for (const [partNumber] of surplus) this.#parts.delete(partNumber)
    // The other parts get faster now, so the measurement of their speed starts again.
    const atMs = this.#now()
    for (const part of this.#parts.values()) {
      part.from = { atMs, bytes: part.last.bytes }
      part.together = this.#parts.size
    }
    for (const [, { stop }] of surplus) stop()
  }
}

/** True when a part would time out at its measured speed. */
function isTooSlow({ size, from, last }: PartInFlight): boolean {
  const ms = last.atMs - from.atMs
  if (last.bytes === size || ms < watchedMs) return false
  return (ms * size) / (last.bytes - from.bytes) > longestPartMs
}
