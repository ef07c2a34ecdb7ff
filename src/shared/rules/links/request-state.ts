import { hourInMs } from '../format/units.ts'

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
