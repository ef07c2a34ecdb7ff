/** A clock that advances only when set. */
export interface TestClock {
  (): Date
  set(moment: Date): void
  advance(milliseconds: number): void
}

export function testClock(start = new Date()): TestClock {
  let now = start.getTime()
  return Object.assign(() => new Date(now), {
    set(moment: Date) {
      now = moment.getTime()
    },
    advance(milliseconds: number) {
      now += milliseconds
    },
  })
}
