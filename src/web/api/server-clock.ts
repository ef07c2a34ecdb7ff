/**
 * An answer of the server, with the moments that help to estimate the server's time. All moments
 * are milliseconds since 1970.
 */
export interface DatedAnswer {
  /**
   * The server's time when it answered: a moment from `from` to `to`. The `Date` header has only
   * whole seconds.
   */
  date: { from: number; to: number }
  /** When the request was sent, by the browser's clock. */
  sentAt: number
  /** When the headers of the answer arrived, by the browser's clock. */
  receivedAt: number
}

/**
 * Returns the second in which an answer was made; null if it is unknown, or if the answer may come
 * from the browser's cache. An answer from the cache still has its old `Date` header.
 */
export function readNewDate(headers: Headers): DatedAnswer['date'] | null {
  const isCached = /\bmax-age=/.test(headers.get('cache-control') ?? '')
  const second = Date.parse(headers.get('date') ?? '')
  return isCached || Number.isNaN(second) ? null : { from: second, to: second + 1000 }
}

/**
 * The server's time, estimated from its answers. Pages use it to tell when links end, because the
 * browser's clock may be wrong.
 */
export interface ServerClock {
  /** Uses an answer to improve the estimate. */
  learn(answer: DatedAnswer): void
  /** Returns the server's time, in milliseconds since 1970. */
  now(): number
  /** Calls `listener` when the estimate changes. Returns a function that stops this. */
  subscribe(listener: () => void): () => void
}

/**
 * How many milliseconds the server's clock is ahead of the browser's: between `least` and `most`.
 */
interface Bounds {
  least: number
  most: number
}

/**
 * Creates a clock that corrects the browser's clock by the dates of answers.
 *
 * The server wrote the date between the moments when the request was sent and the answer arrived.
 * So each answer limits the difference of the clocks, and a quick answer limits it more closely.
 * Each answer can only narrow the limits. If an answer contradicts them, one of the clocks was set,
 * so the answer replaces them.
 * @param browserNow reads the browser's clock, in milliseconds since 1970.
 */
export function createServerClock(browserNow: () => number = () => Date.now()): ServerClock {
  let known: Bounds = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }
  let ahead = 0
  const listeners = new Set<() => void>()
  return {
    learn(answer) {
      const bounds = boundsOf(answer)
      if (bounds === null) return
      const both = {
        least: Math.max(known.least, bounds.least),
        most: Math.min(known.most, bounds.most),
      }
      known = both.least <= both.most ? both : bounds
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
  // The browser's clock was set back between request and answer.
  if (receivedAt < sentAt) return null
  return { least: date.from - receivedAt, most: date.to - sentAt }
}

/**
 * Returns the milliseconds to add to the browser's clock. They are 0 while the browser's clock may
 * be right. Otherwise they are the middle of the limits, which has the smallest possible error.
 */
function correction({ least, most }: Bounds): number {
  return least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2)
}

let ofThisPage: ServerClock | undefined

/** The clock of this page. The answers to `call` and `callForPage` correct it. */
export function serverClock(): ServerClock {
  ofThisPage ??= createServerClock()
  return ofThisPage
}

/** Returns the time of the server. */
export function serverNow(): Date {
  return new Date(serverClock().now())
}

/**
 * Calls `check` after `waitMs`. Browsers stop timers while a page is in the background. So this
 * also calls `check` whenever the page becomes visible or hidden, and when an answer of the server
 * corrects the page's clock.
 * @returns a function that stops all these calls. A React effect can return it as its cleanup.
 */
export function scheduleCheck(check: () => void, waitMs: number): () => void {
  const timer = setTimeout(check, waitMs)
  const leave = serverClock().subscribe(check)
  document.addEventListener('visibilitychange', check)
  return () => {
    clearTimeout(timer)
    leave()
    document.removeEventListener('visibilitychange', check)
  }
}
