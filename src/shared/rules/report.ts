/** The greatest length, in characters, of the reason for a report or for a takedown. */
export const longestReason = 1000

/** The server removes a report this many days after the administrator has closed it. */
export const handledReportDays = 30

/**
 * The server removes an open report this many days after the last statement was added to it. The
 * report stays longer if storage still keeps the bytes of the file.
 */
export const openReportDays = 180

/** How the administrator closed a report. */
export const reportOutcomes = ['taken-down', 'dismissed'] as const
export type ReportOutcome = (typeof reportOutcomes)[number]
