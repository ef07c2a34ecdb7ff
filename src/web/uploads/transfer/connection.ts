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

/**
 * Waits before another try: `ms` milliseconds and until the browser is online. One that is offline
 * already waits for nothing else, and goes on as soon as it is back.
 * Rejects with the reason of the signal.
 */
export const pause = async (
  ms: number,
  signal: AbortSignal,
  deps: { wait: typeof wait; connection: Connection },
): Promise<void> => {
  if (deps.connection.isOnline()) await deps.wait(ms, signal)
  await deps.connection.untilOnline(signal)
}

/** Like `wait`, and resolves at once when the browser comes back online meanwhile. */
export const waitOrReconnect: typeof wait = async (ms, signal) => {
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
