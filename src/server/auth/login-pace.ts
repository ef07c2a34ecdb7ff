const secondMs = 1000
const firstWaitMs = 10 * secondMs
const longestWaitMs = 15 * 60 * secondMs
const longestHoldMs = 5 * secondMs

/**
 * One address alone cannot reach this number. It has 10 tries in a quarter of an hour, and any hour
 * overlaps with at most five such quarters.
 */
const triesWithoutWait = 60
/** The wait doubles after each further group of this many tries. */
const triesBetweenSteps = 10

/**
 * Returns how long, in milliseconds, an address must wait between two tries at one account after
 * `wrongLogins` in an hour from all addresses. There is no wait at first. Then it is 10 s, doubles
 * with every 10 tries, and is at most 15 minutes.
 */
export function waitBetweenTries(wrongLogins: number): number {
  if (wrongLogins < triesWithoutWait) return 0
  const steps = Math.floor((wrongLogins - triesWithoutWait) / triesBetweenSteps)
  return Math.min(longestWaitMs, firstWaitMs * 2 ** steps)
}

/**
 * Returns how long, in milliseconds, each try is held before its password is compared: a fortieth
 * of the wait, at most 5 s.
 */
export function holdBeforeTry(wrongLogins: number): number {
  return Math.min(longestHoldMs, waitBetweenTries(wrongLogins) / 40)
}
