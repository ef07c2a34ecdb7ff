/** The greatest length, in characters, of the reason for a report or for a takedown. */
export const longestReason = 1000

/**
 * The choices of the form in which visitors say what is wrong with a file. The reason of their
 * report begins with the sentence that they chose.
 */
export const reportChoices = {
  malware: 'Malware',
  foreign: 'Copyright or private property',
  illegal: 'Illegal or harmful',
  other: 'Something else',
} as const
export type ReportChoice = keyof typeof reportChoices
export const reportChoiceNames = Object.keys(reportChoices) as ReportChoice[]

/**
 * The greatest length, in characters, of a visitor's own words in the form. Together with the
 * longest choice before them they are no longer than `longestReason`.
 */
export const longestWords = 900

/** Returns the reason of a report that was made with the form. */
export function reportReason(choice: ReportChoice, words: string): string {
  return `${reportChoices[choice]}: ${words}`
}

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
