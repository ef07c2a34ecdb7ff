/** Whether the browser believes that it is connected, and a way to wait for it. */
export interface Connection {
  isOnline: () => boolean
  /** Resolves when online, at once or later; rejects with the reason of the signal. */
  untilOnline: (signal: AbortSignal) => Promise<void>
}

/**
 * How long to believe the browser that it is offline. It says so without any network, when a server
 * on the same machine still answers, so that every now and then a request has to find out.
 */
const longestTrustMs = 30_000

/** Resolves after `ms` milliseconds; rejects with the reason of the signal when that comes first. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
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

/** The connection of this browser window. */
export const browserConnection: Connection = {
  isOnline: () => navigator.onLine,
  untilOnline: async (signal) => {
    signal.throwIfAborted()
    if (navigator.onLine) return
    const found = new AbortController()
    const done = () => found.abort()
    window.addEventListener('online', done, { signal: found.signal })
    try {
      await wait(longestTrustMs, AbortSignal.any([signal, found.signal]))
    } catch {
      signal.throwIfAborted()
    } finally {
      found.abort()
    }
  },
}
