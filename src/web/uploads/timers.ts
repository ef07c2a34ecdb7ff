/**
 * The clock and its timers. The engine with its calls, the records and the tabs get them as an
 * argument, so that tests can set the time. Transfers and the page use the browser's own timers.
 */
export interface Timers {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Milliseconds since an arbitrary moment, for measuring durations. Setting the system clock does
   * not change them.
   */
  elapsed(): number
  /** Runs a task once after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void
}

export const browserTimers: Timers = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * Returns a function that requests a run of a task. The first request runs the task immediately.
 * Requests in the next `ms` milliseconds lead to one more run at the end of that time. Without
 * requests no timer runs.
 */
export function coalesce(timers: Timers, ms: number, task: () => void): () => void {
  let resting = false
  let wanted = false
  const run = () => {
    wanted = false
    resting = true
    task()
    timers.after(ms, () => {
      resting = false
      if (wanted) run()
    })
  }
  return () => {
    if (resting) wanted = true
    else run()
  }
}

/**
 * Returns a function that starts repeated runs of a task. The task runs every `ms` milliseconds
 * until it returns false.
 */
export function repeat(timers: Timers, ms: number, task: () => boolean): () => void {
  let isAwake = false
  const wake = () => {
    if (isAwake) return
    isAwake = true
    timers.after(ms, () => {
      isAwake = false
      if (task()) wake()
    })
  }
  return wake
}
