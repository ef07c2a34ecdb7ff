import { hourInMs } from '../format/units.ts'
import type { Tier } from '../tiers/tier.ts'

/** How many days a request can be open. */
export const maxOpenDays = 30

export const requestStates = ['open', 'closed'] as const
export type RequestState = (typeof requestStates)[number]

/** When a request closes by itself, and when its owner or the administrator closed it. */
export interface RequestDates {
  closesAt: Date
  closedAt: Date | null
}

/** Uploads that began while a request was open may finish for this long after it has closed. */
const finishingMs = hourInMs

function closingTime({ closesAt, closedAt }: RequestDates): number {
  return Math.min(closesAt.getTime(), closedAt?.getTime() ?? Number.POSITIVE_INFINITY)
}

export function requestState(request: RequestDates, now: Date): RequestState {
  return now.getTime() < closingTime(request) ? 'open' : 'closed'
}

/** True if uploads that have begun may still finish. */
export function canFinishUploads(request: RequestDates, now: Date): boolean {
  return now.getTime() < closingTime(request) + finishingMs
}

/**
 * True if users of this tier can receive files by requests.
 * @param setting the administrator's setting `requests`: `on` for every tier, `off`, or one tier.
 */
export function allowsRequests(setting: 'on' | 'off' | Tier, tier: Tier): boolean {
  return setting === 'on' || setting === tier
}
