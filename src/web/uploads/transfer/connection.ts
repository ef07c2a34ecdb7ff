/** Tells whether the browser says that it is online, and waits until it is. */
export interface Connection {
  isOnline: () => boolean
  /**
   * Resolves immediately when the browser is online. Otherwise resolves when it is online again, or
   * after a while, because the browser may be wrong. Rejects with the reason of the signal when it
   * is aborted.
   */
  untilOnline: (signal: AbortSignal) => Promise<void>
}

/**
 * How long to trust the browser when it says that it is offline. Without a network it says so even
 * if the server runs on the same machine. So a request must be tried from time to time.
 */
const longestTrustMs = 30_000

/**
 * Resolves after `ms` milliseconds; rejects with the reason of the signal if that is aborted first.
 */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal.addEventListener('abort', abort, { once: true })
  })
}

/** Does the same as `wait`, but also resolves when the browser comes back online. */
export async function waitOrReconnect(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const back = new AbortController()
  const stop = () => back.abort()
  window.addEventListener('online', stop, { signal: back.signal })
  try {
    await wait(ms, AbortSignal.any([signal, back.signal]))
  } catch {
    signal.throwIfAborted()
  } finally {
    back.abort()
  }
}

/** The connection of this browser window. */
export const browserConnection: Connection = {
  isOnline: () => navigator.onLine,
  untilOnline: async (signal) => {
    signal.throwIfAborted()
    if (!navigator.onLine) await waitOrReconnect(longestTrustMs, signal)
  },
}

/** How long a page may last after `beforeunload`, until the next page has answered. */
const longestLeavingMs = 60_000

/**
 * Returns a function that waits while the browser leaves this page. Without a `beforeunload` in the
 * last minute it resolves at once. Rejects with the reason of the signal when it is aborted.
 */
export function watchLeaving(): (signal: AbortSignal) => Promise<void> {
  let leftAt = Number.NEGATIVE_INFINITY
  window.addEventListener('beforeunload', () => {
    leftAt = performance.now()
  })
  return async (signal) => {
    const waitMs = leftAt + longestLeavingMs - performance.now()
    if (waitMs > 0) await wait(waitMs, signal)
  }
}
