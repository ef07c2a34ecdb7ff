/** Resolves after `ms` milliseconds, or rejects with the signal's reason if aborted first. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
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

/** Like `wait`, but also resolves when the browser comes back online. */
export async function waitOrReconnect(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const reconnectController = new AbortController()
  const handleOnline = () => reconnectController.abort()
  window.addEventListener('online', handleOnline, { signal: reconnectController.signal })
  try {
    await wait(ms, AbortSignal.any([signal, reconnectController.signal]))
  } catch {
    signal.throwIfAborted()
  } finally {
    reconnectController.abort()
  }
}

/**
 * How long to assume that the page is unloading after `beforeunload`. A page stays alive until the
 * server responds with the next one.
 */
const assumedUnloadMs = 60_000

/**
 * Returns a function that waits while the browser is leaving this page. It resolves immediately
 * unless `beforeunload` fired in the last minute, and rejects with the signal's reason when it is
 * aborted.
 */
export function watchUnload(): (signal: AbortSignal) => Promise<void> {
  let unloadAt = Number.NEGATIVE_INFINITY
  window.addEventListener('beforeunload', () => {
    unloadAt = performance.now()
  })
  return async (signal) => {
    const waitMs = unloadAt + assumedUnloadMs - performance.now()
    if (waitMs > 0) await wait(waitMs, signal)
  }
}
