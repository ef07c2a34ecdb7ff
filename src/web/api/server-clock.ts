/**
 * When a request was sent and answered, for estimating the server's time. All times are in
 * milliseconds since 1970.
 */
export interface DatedResponse {
  /**
   * The server's time when it responded. A range, because the `Date` header has only whole seconds.
   */
  date: { from: number; to: number }
  /** When the request was sent, by the browser's clock. */
  sentAt: number
  /** When the response headers arrived, by the browser's clock. */
  receivedAt: number
}

/**
 * Returns the time range in which the server created a response, or null if it is unknown. Returns
 * null for responses that may come from a cache, because these keep their original `Date` header.
 */
export function readResponseDate(headers: Headers): DatedResponse['date'] | null {
  const isCached = /\bmax-age=/.test(headers.get('cache-control') ?? '')
  const dateMs = Date.parse(headers.get('date') ?? '')
  return isCached || Number.isNaN(dateMs) ? null : { from: dateMs, to: dateMs + 1000 }
}

/**
 * An estimate of the server's time, based on its responses. Pages use it to determine when links
 * expire, because the browser's clock may be wrong.
 */
export interface ServerClock {
  /** Refines the estimate with a response. */
  observe(response: DatedResponse): void
  /** Returns the server's time, in milliseconds since 1970. */
  now(): number
  /** Calls `listener` when the estimate changes. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void
}

/** Bounds on how far the server's clock is ahead of the browser's, in milliseconds. */
interface Bounds {
  least: number
  most: number
}

/**
 * Creates a clock that uses the dates of responses to correct the browser's clock.
 *
 * The server sets the date after the request is sent and before the response arrives, so each
 * response bounds the difference between the clocks. Faster responses give tighter bounds. New
 * bounds narrow the current ones or, if they contradict them because a clock was changed, replace
 * them.
 * @param browserNow reads the browser's clock, in milliseconds since 1970.
 */
export function createServerClock(browserNow: () => number = () => Date.now()): ServerClock {
  let currentBounds: Bounds = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }
  let offset = 0
  const listeners = new Set<() => void>()
  return {
    observe(response) {
      const bounds = toBounds(response)
      if (bounds === null) return
      const intersection = {
        least: Math.max(currentBounds.least, bounds.least),
        most: Math.min(currentBounds.most, bounds.most),
      }
      currentBounds = intersection.least <= intersection.most ? intersection : bounds
      const previousOffset = offset
      offset = computeCorrectionMs(currentBounds)
      if (offset !== previousOffset) for (const listener of listeners) listener()
    },
    now: () => browserNow() + offset,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function toBounds({ date, sentAt, receivedAt }: DatedResponse): Bounds | null {
  // The browser's clock was set back between the request and the response.
  if (receivedAt < sentAt) return null
  return { least: date.from - receivedAt, most: date.to - sentAt }
}

/**
 * Returns the milliseconds to add to the browser's clock: 0 if the clock may be correct, otherwise
 * the midpoint of the bounds, which minimizes the maximum error.
 */
function computeCorrectionMs({ least, most }: Bounds): number {
  return least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2)
}

let pageClock: ServerClock | undefined

/** This page's clock, corrected by each response that `call` and `callForPage` receive. */
export function getServerClock(): ServerClock {
  pageClock ??= createServerClock()
  return pageClock
}

export function serverNow(): Date {
  return new Date(getServerClock().now())
}

/**
 * Calls `check` after `waitMs` milliseconds, and also when the page becomes visible or hidden
 * (browsers pause timers in the background) or when a response corrects the page's clock.
 * @returns a cleanup function suitable for a React effect.
 */
export function scheduleCheck(check: () => void, waitMs: number): () => void {
  const timer = setTimeout(check, waitMs)
  const unsubscribe = getServerClock().subscribe(check)
  document.addEventListener('visibilitychange', check)
  return () => {
    clearTimeout(timer)
    unsubscribe()
    document.removeEventListener('visibilitychange', check)
  }
}
