/** The clock and its timers. Whatever depends on time gets them as an argument. */
export interface Timers {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds, only ever compared with each other: setting the clock does not change them. */
  elapsed(): number
  /** Runs a task once after so many milliseconds. Answers how to stop that. */
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
 * Makes a function that asks for a task to be run. The task runs at once, and then at most once in `ms`
 * milliseconds, however often it is asked for. While nobody asks no timer runs.
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

/** Makes a function that starts a task: it runs every `ms` milliseconds as long as it answers true. */
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
