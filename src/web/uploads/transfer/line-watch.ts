import { givingWay, lanesFor, type PartTime, withPartTime } from './part-lanes.ts'

/** What counts as sent at first has only filled the buffers of the system. */
const bufferingMs = 10_000
/** A pace that was watched for less is a guess; together with the above it is a minute. */
const watchedMs = 50_000

/** How far a try had come: milliseconds, only compared with each other, and bytes. */
interface Reading {
  at: number
  bytes: number
}

/**
 * How a try ended: storage holds the part; its request ran out of time; or for another reason, which
 * says nothing of how much the line carries, such as a line that was gone for a while.
 */
export type TryEnd = 'held' | 'timed-out' | 'lost'

/** One PUT of one part that is under way. */
interface PartTry {
  size: number
  startedAt: number
  /** How many were under way when it began, or when others gave way to it; itself included. */
  lanes: number
  /** How many were under way together at most while its pace was watched. */
  most: number
  /** Between these two its pace is watched. */
  from: Reading
  last: Reading
  giveWay: () => void
}

/** How long all of it takes at the pace that was watched until now; null while that would be a guess. */
const timeAtPace = ({ size, from, last }: PartTry, now: number): number | null => {
  // From then on it is the answer that is waited for.
  const until = last.bytes < size ? now : last.at
  const ms = until - from.at
  return ms < watchedMs ? null : (ms * size) / (last.bytes - from.bytes)
}

/**
 * Watches the parts of one file that are under way, and judges by them how many the line carries at
 * once. Where it is so slow that none of them would arrive before its request times out, some give
 * way after a minute, so that the rest get the whole line and no time is spent on what comes to nothing.
 */
export class LineWatch {
  readonly #partSize: number
  readonly #now: () => number
  readonly #tries = new Map<number, PartTry>()
  #times: readonly PartTime[] = []
  /** How long a part that did not arrive would have taken; only until one does. */
  #judged: PartTime | null = null

  /**
   * @param partSize of every part but the last, in bytes.
   * @param now milliseconds, only compared with each other.
   */
  constructor(partSize: number, now: () => number) {
    this.#partSize = partSize
    this.#now = now
  }

  /** How many parts are under way. */
  get sending(): number {
    return this.#tries.size
  }

  /** How many parts should travel at once. */
  get lanes(): number {
    return lanesFor(this.#judged ? [this.#judged] : this.#times)
  }

  /** A part of `size` bytes sets out. `giveWay` is called, once, when it is to stop for the others. */
  begin(partNumber: number, size: number, giveWay: () => void): void {
    const start = { at: this.#now(), bytes: 0 }
    const lanes = this.#tries.size + 1
    const began = { startedAt: start.at, lanes, most: lanes, from: start, last: start }
    this.#tries.set(partNumber, { size, ...began, giveWay })
    for (const one of this.#tries.values()) one.most = Math.max(one.most, lanes)
  }

  /** So many bytes of a part that is under way have left; others may have to give way, or itself. */
  sent(partNumber: number, bytes: number): void {
    const one = this.#tries.get(partNumber)
    if (!one) return
    const now = this.#now()
    one.last = { at: now, bytes: Math.min(bytes, one.size) }
    if (now - one.startedAt <= bufferingMs) one.from = one.last
    const ms = timeAtPace(one, now)
    if (ms === null || one.last.bytes === one.size) return
    const count = givingWay({ ms, lanes: this.#tries.size })
    if (count === 0) return
    this.#judgeBy(one, ms, this.#tries.size)
    this.#makeWay(count)
  }

  /** A part is not under way any more. */
  end(partNumber: number, how: TryEnd): void {
    const one = this.#tries.get(partNumber)
    if (!one) return
    const now = this.#now()
    const lanes = Math.max(one.lanes, this.#tries.size)
    const ms = timeAtPace(one, now)
    if (how === 'held' && one.size === this.#partSize) {
      this.#times = withPartTime(this.#times, { ms: now - one.startedAt, lanes })
      this.#judged = null
    }
    // Those that are lost together end one after another, and travelled together.
    if (how === 'timed-out' && ms !== null) this.#judgeBy(one, ms, one.most)
    this.#tries.delete(partNumber)
  }

  /** A try that would not arrive in time says that the line is not what it was. */
  #judgeBy({ size }: PartTry, ms: number, lanes: number) {
    this.#times = []
    this.#judged = { ms: (ms * this.#partSize) / size, lanes }
  }

  /** Ends so many tries: those of which the least is lost. */
  #makeWay(count: number) {
    const unsent = [...this.#tries].filter(([, { size, last }]) => last.bytes < size)
    const leastFirst = unsent.sort(([, one], [, other]) => one.last.bytes - other.last.bytes)
    const leaving = leastFirst.slice(0, count)
    for (const [partNumber] of leaving) this.#tries.delete(partNumber)
    // The others have another pace from now on.
    for (const one of this.#tries.values()) {
      one.from = { at: this.#now(), bytes: one.last.bytes }
      one.lanes = this.#tries.size
      one.most = this.#tries.size
    }
    for (const [, { giveWay }] of leaving) giveWay()
  }
}
