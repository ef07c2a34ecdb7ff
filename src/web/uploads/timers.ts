/**
 * The clock and timers for the engine, its calls and the record store, injected so tests can
 * control the time. Transfers and the page use the browser's own timers.
 */
export interface Timers {
  /** Epoch milliseconds. */
  now(): number
  /**
   * Milliseconds from an arbitrary origin, for measuring durations. Unaffected by changes to the
   * system clock.
   */
  elapsed(): number
  /** Runs a task once after `ms` milliseconds. Returns a function that cancels it. */
  runAfter(ms: number, task: () => void): () => void
  /** Runs a task every `ms` milliseconds. Returns a function that stops it. */
  runEvery(ms: number, task: () => void): () => void
}

/** Implements `Timers.runAfter`. */
export function runAfter(ms: number, task: () => void): () => void {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}

export const browserTimers: Timers = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  runAfter,
  runEvery: (ms, task) => {
    const timer = setInterval(task, ms)
    return () => clearInterval(timer)
  },
}

/**
 * Returns a throttled version of a task. The first call runs the task immediately. Any calls during
 * the next `ms` milliseconds cause one more run when that time is over. No timer runs without
 * calls.
 */
export function throttle(timers: Timers, ms: number, task: () => void): () => void {
  let isWaiting = false
  let isRunPending = false
  const run = () => {
    isRunPending = false
    isWaiting = true
    task()
    timers.runAfter(ms, () => {
      isWaiting = false
      if (isRunPending) run()
    })
  }
  return () => {
    if (isWaiting) isRunPending = true
    else run()
  }
}
