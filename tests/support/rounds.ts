/**
 * Set by `npm run test:long`, which plays the tests of races and crashes with all rounds and cases.
 */
export const isLongRun = process.env.LONG_TESTS === '1'

/** Returns how many rounds a test plays: `few`, or `many` in a run of `npm run test:long`. */
export function roundsOf(few: number, many: number): number {
  return isLongRun ? many : few
}
