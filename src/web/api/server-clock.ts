/**
 * The times of a response, for estimating the server's time. All are in milliseconds since 1970.
 */
export interface DatedResponse {
  /**
   * The server's time when it responded, between `from` and `to`. The `Date` header has only whole
   * seconds.
   */
  date: { from: number; to: number }
  /** When the request was sent, by the browser's clock. */
  sentAt: number
  /** When the response headers arrived, by the browser's clock. */
  receivedAt: number
}

/**
 * Returns the second in which a response was created, or null if it is unknown or the response may
 * be cached. A cached response still has its old `Date` header.
 */
export function readNewDate(headers: Headers): DatedResponse['date'] | null {
  const isCached = /\bmax-age=/.test(headers.get('cache-control') ?? '')
  const second = Date.parse(headers.get('date') ?? '')
  return isCached || Number.isNaN(second) ? null : { from: second, to: second + 1000 }
}

/**
 * An estimate of the server's time, based on its responses. Pages use it to determine when links
 * end, because the browser's clock may be wrong.
 */
export interface ServerClock {
  /** Refines the estimate with a response. */
  observe(response: DatedResponse): void
  /** Returns the server's time, in milliseconds since 1970. */
  now(): number
  /** Calls `listener` when the estimate changes. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void
}

/**
 * How far the server's clock is ahead of the browser's, in milliseconds: between `least` and
 * `most`.
 */
interface Bounds {
  least: number
  most: number
}

/**
 * Creates a clock that corrects the browser's clock by the dates of responses.
 *
 * The server wrote the date after the request was sent and before the response arrived. Each
 * response therefore bounds the clock difference, and a fast one bounds it more tightly. The bounds
 * are only ever narrowed, unless a response contradicts them. In that case one of the clocks was
 * changed, and the new bounds replace the old ones.
 * @param browserNow reads the browser's clock, in milliseconds since 1970.
 */
export function createServerClock(browserNow: () => number = () => Date.now()): ServerClock {
  let currentBounds: Bounds = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }
  let offset = 0
  const listeners = new Set<() => void>()
  return {
    observe(response) {
      const bounds = boundsOf(response)
      if (bounds === null) return
      const intersection = {
        least: Math.max(currentBounds.least, bounds.least),
        most: Math.min(currentBounds.most, bounds.most),
      }
      currentBounds = intersection.least <= intersection.most ? intersection : bounds
      const previousOffset = offset
      offset = correction(currentBounds)
      if (offset !== previousOffset) for (const listener of listeners) listener()
    },
    now: () => browserNow() + offset,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function boundsOf({ date, sentAt, receivedAt }: DatedResponse): Bounds | null {
  // The browser's clock was set back between request and response.
  if (receivedAt < sentAt) return null
  return { least: date.from - receivedAt, most: date.to - sentAt }
}

/**
 * Returns the milliseconds to add to the browser's clock: 0 while it may be correct, or else the
 * midpoint of the bounds, which minimizes the maximum error.
 */
function correction({ least, most }: Bounds): number {
  return least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2)
}

let pageClock: ServerClock | undefined

/** This page's clock, corrected by the responses to `call` and `callForPage`. */
export function serverClock(): ServerClock {
  pageClock ??= createServerClock()
  return pageClock
}

export function serverNow(): Date {
  return new Date(serverClock().now())
}

/**
 * Calls `check` after `waitMs`. Since browsers pause timers in the background, also calls it when
 * the page becomes visible or hidden, and when a response corrects the page's clock.
 * @returns a function that cancels all of these, usable as the cleanup of a React effect.
 */
export function scheduleCheck(check: () => void, waitMs: number): () => void {
  const timer = setTimeout(check, waitMs)
  const unsubscribe = serverClock().subscribe(check)
  document.addEventListener('visibilitychange', check)
  return () => {
    clearTimeout(timer)
    unsubscribe()
    document.removeEventListener('visibilitychange', check)
  }
}
