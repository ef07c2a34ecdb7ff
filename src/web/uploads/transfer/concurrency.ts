import { requestTimeoutMs } from './storage-request.ts'

/** How many parts are in flight before the speed of the line is known. */
const firstLimit = 4
/**
 * One part at a time would leave a quarter of the bandwidth unused where answers take long. So two
 * parts are sent at once if both arrive in time.
 */
const usualMinimum = 2
const usualMaximum = 4
/** A browser opens six connections to one origin (HTTP/1.1), and the API needs one of them. */
export const maxConcurrency = 5
/** A part that takes longer costs too much if it is lost, and its answer comes late. */
const longPartMs = 30_000
/** A part that takes longer may reach the time-out of its request and be sent for nothing. */
const longestPartMs = 0.9 * requestTimeoutMs
/** If a part takes less than this, the connection waits for answers most of the time. */
const shortPartMs = 500
/**
 * Only this many of the last parts count, because the speed of a minute ago says little about now.
 */
const recentParts = 4

/** The bytes sent in this time only filled the buffers of the system. */
const bufferingMs = 10_000
/**
 * A shorter observation gives no reliable pace. This and the buffering time are a minute together.
 */
const watchedMs = 50_000

/** How long a part took to arrive, and how many parts were in flight with it, including itself. */
export interface PartTime {
  ms: number
  together: number
}

/**
 * Returns how many parts should be in flight, computed from the last parts that arrived. The number
 * keeps a part under 30 s, within 2 to 5. It is 1 only where two parts would both reach the
 * time-out of their requests. Connections share one line, so a part that took `ms` among `together`
 * would take `ms / together` alone. So a line that does not change always gives the same number.
 */
export function limitFor(times: readonly PartTime[]): number {
  if (times.length === 0) return firstLimit
  const alone = times.reduce((sum, { ms, together }) => sum + ms / together, 0) / times.length
  if (alone <= shortPartMs) return maxConcurrency
  if (usualMinimum * alone > longestPartMs) return 1
  return Math.min(usualMaximum, Math.max(usualMinimum, Math.floor(longPartMs / alone)))
}

/**
 * How a part in flight ended. `lost` says nothing about the speed, because the line may have been
 * away for a while.
 */
export type PartEnd = 'held' | 'timed-out' | 'lost'

/** How many bytes of a part were sent by a moment. */
interface Reading {
  atMs: number
  bytes: number
}

interface PartInFlight {
  size: number
  startedAtMs: number
  /** The most parts that were in flight since this part began, or since others were stopped. */
  together: number
  /** The part's pace is measured between these two readings. */
  from: Reading
  last: Reading
  stop: () => void
}

/**
 * Decides how many parts of one file may be in flight at once. Parts that arrive set the limit
 * (`limitFor`). A part that times out, or would time out at its pace, halves the limit until the
 * next part arrives. On a line of 20 KB/s four parts at once would all time out, again and again.
 * So the parts that have sent least are stopped after a minute, and the others get the whole line.
 */
export class Concurrency {
  readonly #partSize: number
  readonly #now: () => number
  readonly #parts = new Map<number, PartInFlight>()
  #times: readonly PartTime[] = []
  #limit = firstLimit

  /**
   * @param partSize the size in bytes of every part except the last.
   * @param now returns milliseconds, only compared with each other.
   */
  constructor(partSize: number, now: () => number) {
    this.#partSize = partSize
    this.#now = now
  }

  /** How many parts may be in flight. */
  get limit(): number {
    return this.#limit
  }

  /** How many parts are in flight. */
  get inFlight(): number {
    return this.#parts.size
  }

  /**
   * Notes that a part of `size` bytes begins. `stop` is called once if the part must end in favour
   * of the others.
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

  /**
   * Notes how many bytes of a part in flight were sent. This may stop parts, including this one.
   */
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

  /** Notes that a part is not in flight any more. */
  end(partNumber: number, how: PartEnd): void {
    const part = this.#parts.get(partNumber)
    if (!part) return
    this.#parts.delete(partNumber)
    if (how === 'held' && part.size === this.#partSize) {
      const time = { ms: this.#now() - part.startedAtMs, together: part.together }
      this.#times = [...this.#times, time].slice(-recentParts)
      this.#limit = limitFor(this.#times)
    }
    // If all bytes were sent, only the answer was missing, and the line is not too slow.
    if (how === 'timed-out' && part.last.bytes < part.size) this.#halve(part)
  }

  /**
   * Halves the limit. Parts that time out together halve it only once, because each knows how many
   * they were.
   */
  #halve({ together }: PartInFlight) {
    // The earlier times say nothing about the line as it is now.
    this.#times = []
    this.#limit = Math.min(this.#limit, Math.max(1, Math.floor(together / 2)))
  }

  /** Stops the surplus parts: those still sending that have sent least. */
  #stopSurplus() {
    const unsent = [...this.#parts].filter(([, { size, last }]) => last.bytes < size)
    const leastFirst = unsent.sort(([, one], [, other]) => one.last.bytes - other.last.bytes)
    const surplus = leastFirst.slice(0, Math.max(0, this.#parts.size - this.#limit))
    for (const [partNumber] of surplus) this.#parts.delete(partNumber)
    // The pace of the other parts changes now, so their measurement starts again.
    const atMs = this.#now()
    for (const part of this.#parts.values()) {
      part.from = { atMs, bytes: part.last.bytes }
      part.together = this.#parts.size
    }
    for (const [, { stop }] of surplus) stop()
  }
}

/** Whether a part would time out at its measured pace. */
function isTooSlow({ size, from, last }: PartInFlight): boolean {
  const ms = last.atMs - from.atMs
  if (last.bytes === size || ms < watchedMs) return false
  return (ms * size) / (last.bytes - from.bytes) > longestPartMs
}
