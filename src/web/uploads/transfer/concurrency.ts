import { requestTimeoutMs } from './storage-request.ts'

/** Parts in flight before anything is known of the line. */
const firstLimit = 4
/** One part after another leaves a quarter of a long line unused, so that two go where both arrive. */
const usualMinimum = 2
const usualMaximum = 4
/** A browser opens six connections to one origin (HTTP/1.1), and the API needs one of them. */
export const maxConcurrency = 5
/** A part that takes longer costs too much when it is lost, and its answer comes late. */
const longPartMs = 30_000
/** A part that takes longer may run into the time-out of its request, and be sent for nothing. */
const longestPartMs = 0.9 * requestTimeoutMs
/** A line that needs less for a part waits for answers most of the time. */
const shortPartMs = 500
/** The line of a minute ago says little about the line of now. */
const recentParts = 4

/** What counts as sent at first has only filled the buffers of the system. */
const bufferingMs = 10_000
/** A pace that was watched for less than this is a guess. Together with the above it is a minute. */
const watchedMs = 50_000

/** How long a part took to arrive, and how many were in flight together with it, itself included. */
export interface PartTime {
  ms: number
  together: number
}

/**
 * How many parts should be in flight, by those that arrived last: as many as keep a part under 30 s, from
 * 2 to 5; 1 only where neither of two would arrive before its request times out. Connections share one
 * line, so that a part that took `ms` among `together` takes `ms / together` alone. By that, a line that
 * does not change always gets the same answer.
 */
export function limitFor(times: readonly PartTime[]): number {
  if (times.length === 0) return firstLimit
  const alone = times.reduce((sum, { ms, together }) => sum + ms / together, 0) / times.length
  if (alone <= shortPartMs) return maxConcurrency
  if (usualMinimum * alone > longestPartMs) return 1
  return Math.min(usualMaximum, Math.max(usualMinimum, Math.floor(longPartMs / alone)))
}

/** How a part in flight ended. `lost` says nothing of the line's speed: it may have been gone for a while. */
export type PartEnd = 'held' | 'timed-out' | 'lost'

/** How far a part had come at a moment. */
interface Reading {
  atMs: number
  bytes: number
}

interface PartInFlight {
  size: number
  startedAtMs: number
  /** The most that were in flight together since it began, or since others were stopped. */
  together: number
  /** Between these two its pace is watched. */
  from: Reading
  last: Reading
  stop: () => void
}

/**
 * How many parts of one file may be in flight at once. Parts that arrive set the limit (`limitFor`). A part
 * that times out, or at its pace would, halves it until the next part arrives. On a line of 20 KB/s
 * four parts at once would all time out, again and again. So those that have sent least are stopped after
 * a minute, and the rest get the whole line.
 */
export class Concurrency {
  readonly #partSize: number
  readonly #now: () => number
  readonly #parts = new Map<number, PartInFlight>()
  #times: readonly PartTime[] = []
  #limit = firstLimit

  /**
   * @param partSize of every part but the last, in bytes.
   * @param now milliseconds, only compared with each other.
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

  /** A part of `size` bytes begins. `stop` is called, once, when it is to end in favour of the others. */
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

  /** This many bytes of a part in flight have left. Parts may be stopped by that, itself among them. */
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

  /** A part is not in flight any more. */
  end(partNumber: number, how: PartEnd): void {
    const part = this.#parts.get(partNumber)
    if (!part) return
    this.#parts.delete(partNumber)
    if (how === 'held' && part.size === this.#partSize) {
      const time = { ms: this.#now() - part.startedAtMs, together: part.together }
      this.#times = [...this.#times, time].slice(-recentParts)
      this.#limit = limitFor(this.#times)
    }
    // Where all of it had left, it was the answer that did not come.
    if (how === 'timed-out' && part.last.bytes < part.size) this.#halve(part)
  }

  /** Several parts that time out together halve the limit once: each knows how many they were. */
  #halve({ together }: PartInFlight) {
    // What arrived before says nothing of the line as it is now.
    this.#times = []
    this.#limit = Math.min(this.#limit, Math.max(1, Math.floor(together / 2)))
  }

  /** Stops as many parts as are too many. Of those that still send, the ones that have sent least. */
  #stopSurplus() {
    const unsent = [...this.#parts].filter(([, { size, last }]) => last.bytes < size)
    const leastFirst = unsent.sort(([, one], [, other]) => one.last.bytes - other.last.bytes)
    const surplus = leastFirst.slice(0, Math.max(0, this.#parts.size - this.#limit))
    for (const [partNumber] of surplus) this.#parts.delete(partNumber)
    // The others have another pace from now on.
    const atMs = this.#now()
    for (const part of this.#parts.values()) {
      part.from = { atMs, bytes: part.last.bytes }
      part.together = this.#parts.size
    }
    for (const [, { stop }] of surplus) stop()
  }
}

/** Whether a part would time out at the pace that was watched. */
function isTooSlow({ size, from, last }: PartInFlight): boolean {
  const ms = last.atMs - from.atMs
  if (last.bytes === size || ms < watchedMs) return false
  return (ms * size) / (last.bytes - from.bytes) > longestPartMs
}
