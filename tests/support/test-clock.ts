/** A clock that stands still until a test sets or advances it. */
export interface TestClock {
  (): Date
  set(time: Date): void
  advance(milliseconds: number): void
}

export function testClock(start = new Date()): TestClock {
  let now = start.getTime()
  return Object.assign(() => new Date(now), {
    set(time: Date) {
      now = time.getTime()
    },
    advance(milliseconds: number) {
      now += milliseconds
    },
  })
}
