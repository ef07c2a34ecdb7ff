const secondMs = 1000
const firstWaitMs = 10 * secondMs
const longestWaitMs = 15 * 60 * secondMs
const longestHoldMs = 5 * secondMs

/** More than one address can reach alone: 10 in each of the five quarters that an hour can touch. */
const triesWithoutWait = 60
/** The wait doubles with every so many tries more. */
const triesBetweenSteps = 10

/**
 * How long, in milliseconds, an address that tries an account waits before it may try that account
 * again, after `wrongLogins` in an hour from everywhere: nothing at first, then 10 s,
 * doubled with every 10 tries, at most 15 minutes.
 */
export function waitBetweenTries(wrongLogins: number): number {
  if (wrongLogins < triesWithoutWait) return 0
  const steps = Math.floor((wrongLogins - triesWithoutWait) / triesBetweenSteps)
  return Math.min(longestWaitMs, firstWaitMs * 2 ** steps)
}

/**
 * How long, in milliseconds, each try is held before its password is looked at: a fortieth of the
 * wait, at most 5 s.
 */
export function holdBeforeTry(wrongLogins: number): number {
  return Math.min(longestHoldMs, waitBetweenTries(wrongLogins) / 40)
}
