/**
 * True in `npm run test:long`, which runs the race and crash tests with all of their rounds and
 * cases.
 */
export const isLongRun = process.env.LONG_TESTS === '1'

export function chooseRounds(shortRounds: number, longRounds: number): number {
  return isLongRun ? longRounds : shortRounds
}
