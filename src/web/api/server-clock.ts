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
}

/**
 * Creates a clock that uses the dates of responses to correct the browser's clock.
 *
 * The server sets the date after the request is sent and before the response arrives, so each
 * response bounds the difference between the clocks. The clock is corrected by the least that keeps
 * it within these bounds.
 * @param browserNow reads the browser's clock, in milliseconds since 1970.
 */
export function createServerClock(browserNow: () => number = () => Date.now()): ServerClock {
  let offset = 0
  return {
    observe({ date, sentAt, receivedAt }) {
      // The browser's clock was set back between the request and the response.
      if (receivedAt < sentAt) return
      offset = Math.min(Math.max(offset, date.from - receivedAt), date.to - sentAt)
    },
    now: () => browserNow() + offset,
  }
}

/** This page's clock, corrected by each response that `call` and `callForPage` receive. */
export const pageClock = createServerClock()

export function serverNow(): Date {
  return new Date(pageClock.now())
}

/**
 * Calls `check` every `intervalMs` milliseconds, and also when the page becomes visible or hidden,
 * because browsers pause timers in the background.
 * @returns a cleanup function suitable for a React effect.
 */
export function scheduleChecks(check: () => void, intervalMs: number): () => void {
  const timer = setInterval(check, intervalMs)
  document.addEventListener('visibilitychange', check)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', check)
  }
}
