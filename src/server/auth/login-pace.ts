const secondMs = 1000
const firstWaitMs = 10 * secondMs
const longestWaitMs = 15 * 60 * secondMs
const longestHoldMs = 5 * secondMs

/**
 * Below this number of wrong logins in an hour there is no wait. One address alone cannot reach it:
 * it has 10 logins in 15 minutes, and an hour can overlap with at most five such windows.
 */
const triesWithoutWait = 60
/** The wait doubles after each further group of this many wrong logins. */
const triesBetweenSteps = 10

/**
 * Returns how long, in milliseconds, an address must wait between two logins to one account.
 * `wrongLogins` is the number of wrong logins in an hour from all addresses. There is no wait at
 * first. Then it is 10 s, doubles after every 10 wrong logins, and is at most 15 minutes.
 */
export function waitBetweenTries(wrongLogins: number): number {
  if (wrongLogins < triesWithoutWait) return 0
  const steps = Math.floor((wrongLogins - triesWithoutWait) / triesBetweenSteps)
  return Math.min(longestWaitMs, firstWaitMs * 2 ** steps)
}

/**
 * Returns for how many milliseconds a login is delayed before its password is compared: a fortieth
 * of the wait, at most 5 s.
 */
export function holdBeforeTry(wrongLogins: number): number {
  return Math.min(longestHoldMs, waitBetweenTries(wrongLogins) / 40)
}
