/** The clock and its timers. All code that depends on time gets them as an argument. */
export interface Timers {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds, only compared with each other. Setting the clock does not change them. */
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
 * Makes a function that requests a run of a task. The task runs at once, and then at most once in
 * `ms` milliseconds, however often it is requested. Without requests no timer runs.
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
 * Makes a function that starts a task. The task runs every `ms` milliseconds as long as it returns
 * true.
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
