/** `npm run test:long` sets this. It plays every chance and every case, which takes long. */
export const isLongRun = process.env.LONG_TESTS === '1'

/** Returns how often a test plays a chance: `few` times, or `many` times in a long run. */
export function roundsOf(few: number, many: number): number {
  return isLongRun ? many : few
}
