/** Time, as what runs by it is given it. */
export interface Timers {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds, only ever compared with each other: setting the clock does not change them. */
  elapsed(): number
  /** Runs a task once after so many milliseconds; answers how to call it off. */
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
 * Makes the function that asks for a task: the first asking runs it at once, those that follow share
 * one run at the end of `ms` milliseconds. While nobody asks no timer runs.
 */
export const coalesce = (timers: Timers, ms: number, task: () => void): (() => void) => {
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

/** Makes the function that wakes a task: it runs every `ms` milliseconds for as long as it answers true. */
export const repeat = (timers: Timers, ms: number, task: () => boolean): (() => void) => {
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
