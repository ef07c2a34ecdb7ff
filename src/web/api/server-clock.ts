/** An answer of the server, as it tells of the time. All moments are milliseconds since 1970. */
export interface DatedAnswer {
  /** The server's time when it answered: between these two moments of its clock. */
  date: { from: number; to: number }
  /** When the request was sent, by the browser's clock. */
  sentAt: number
  /** When the head of the answer arrived, by the browser's clock. */
  receivedAt: number
}

/**
 * Returns the moment of a header `Date`, which is cut to its second; null for none that can be read.
 */
export function readDate(header: string | null): DatedAnswer['date'] | null {
  const second = Date.parse(header ?? '')
  return Number.isNaN(second) ? null : { from: second, to: second + 1000 }
}

/** The server's time, as far as its answers tell. Links end by it, whatever the browser's clock says. */
export interface ServerClock {
  /** Learns from an answer. */
  learn(answer: DatedAnswer): void
  /** Returns the server's time, in milliseconds since 1970. */
  now(): number
  /** Calls `listener` when the correction changes. Returns the function that ends this. */
  subscribe(listener: () => void): () => void
}

/** How far the server's clock is ahead of the browser's, in milliseconds: between these two. */
interface Bounds {
  least: number
  most: number
}

/**
 * Creates a clock that corrects the browser's by the dates of answers.
 * The server wrote the date between sending and receiving. So each answer bounds how far the clocks
 * are apart: a quick one closely, a slow one loosely. Bounds are narrowed by each answer, and a slow
 * answer cannot widen them. An answer that contradicts them replaces them, because then one of the
 * clocks was set.
 * @param browserNow reads the browser's clock, in milliseconds since 1970.
 */
export function createServerClock(browserNow: () => number = Date.now): ServerClock {
  let known: Bounds = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }
  let ahead = 0
  const listeners = new Set<() => void>()
  return {
    learn(answer) {
      const told = boundsOf(answer)
      if (told === null) return
      const both = {
        least: Math.max(known.least, told.least),
        most: Math.min(known.most, told.most),
      }
      known = both.least <= both.most ? both : told
      const before = ahead
      ahead = correction(known)
      if (ahead !== before) for (const listener of listeners) listener()
    },
    now: () => browserNow() + ahead,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function boundsOf({ date, sentAt, receivedAt }: DatedAnswer): Bounds | null {
  // The browser's clock was set back while the request was under way.
  if (receivedAt < sentAt) return null
  return { least: date.from - receivedAt, most: date.to - sentAt }
}

/**
 * Returns the milliseconds to add to the browser's clock: none while it may be right, else the
 * middle, which is wrong by the least.
 */
function correction({ least, most }: Bounds): number {
  return least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2)
}

let ofThisPage: ServerClock | undefined

/** The clock of this page, which every call of `call` sets. */
export function serverClock(): ServerClock {
  ofThisPage ??= createServerClock()
  return ofThisPage
}
