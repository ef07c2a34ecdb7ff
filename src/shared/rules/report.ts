/** The most characters that a reason may have: why a file is reported, or why it is taken down. */
export const longestReason = 1000

/** A report is removed this many days after the administrator has dealt with it. */
export const handledReportDays = 30

/**
 * A report that nobody deals with is removed this many days after the file was last reported. No
 * file lives that long.
 */
export const openReportDays = 180

/** How a report ended. */
export const reportOutcomes = ['taken-down', 'dismissed'] as const
export type ReportOutcome = (typeof reportOutcomes)[number]
