import { requestTimeoutMs } from './next-step.ts'

/** How many parts travel at once before anything is known of the line. */
const firstLanes = 4
/** Parts one after another waste a quarter of a long line, so there are two where both come through. */
const usualMinLanes = 2
const usualMaxLanes = 4
/** A browser opens six connections to one origin (HTTP/1.1); the API needs one of them. */
export const maxLanes = 5
/** A part that takes longer costs too much when it is lost, and its answer comes too late. */
const longPartMs = 30_000
/** A part that takes longer may well run into the time-out of its request, and be sent for nothing. */
const longestPartMs = 0.9 * requestTimeoutMs
/** Where the line alone needs less for one part, answers are what is waited for. */
const shortPartMs = 500
/** The line of a minute ago says little about the line of now. */
const recentParts = 4

/** How long a part took, or would have taken at the pace of a try that did not finish, and how many travelled at once when it was sent. */
export interface PartTime {
  ms: number
  lanes: number
}

/** The times to judge by when one more part has come through. */
export const withPartTime = (times: readonly PartTime[], time: PartTime): readonly PartTime[] =>
  [...times, time].slice(-recentParts)

/**
 * How many parts should travel at once: as many as keep a part under 30 s, from 2 to 5; one alone only
 * where neither of two would come through before its request times out. Lanes share one line, so a part
 * that took `ms` among `lanes` would take `ms / lanes` alone; judged by that, a line that does not
 * change always gets the same answer.
 */
export const lanesFor = (times: readonly PartTime[]): number => {
  if (times.length === 0) return firstLanes
  const alone = times.reduce((sum, { ms, lanes }) => sum + ms / lanes, 0) / times.length
  if (alone <= shortPartMs) return maxLanes
  if (usualMinLanes * alone > longestPartMs) return 1
  return Math.min(usualMaxLanes, Math.max(usualMinLanes, Math.floor(longPartMs / alone)))
}

/**
 * How many of the parts that travel at once have to give way, now that one of them would take `ms` at
 * its pace: none where that is in time, else as many as the line is too slow for, and never the last.
 */
export const givingWay = ({ ms, lanes }: PartTime): number =>
  ms > longestPartMs ? Math.max(0, lanes - lanesFor([{ ms, lanes }])) : 0

/** The lowest of the parts 1 to `count` that is neither held nor in flight; null when none is left. */
export const nextPart = (
  count: number,
  held: ReadonlyMap<number, unknown>,
  inFlight: ReadonlyMap<number, unknown>,
): number | null => {
  for (let partNumber = 1; partNumber <= count; partNumber += 1) {
    if (!held.has(partNumber) && !inFlight.has(partNumber)) return partNumber
  }
  return null
}
