/** Whether the browser believes that it is connected, and a way to wait for it. */
export interface Connection {
  isOnline: () => boolean
  /** Resolves when online, at once or later; rejects with the reason of the signal. */
  untilOnline: (signal: AbortSignal) => Promise<void>
}

/**
 * How long to believe the browser that it is offline. It says so too where there is no network and the
 * server runs on the same machine, so that a request has to find out now and then.
 */
const longestTrustMs = 30_000

/** Resolves after `ms` milliseconds; rejects with the reason of the signal when that comes first. */
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

/** Like `wait`, and resolves at once when the browser comes back online meanwhile. */
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
