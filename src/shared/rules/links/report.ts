/** Maximum length of the reason for a report or takedown, in characters. */
export const maxReasonLength = 1000

/**
 * The choices in the report form. The reason of a report begins with the text of the selected one.
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
 * Maximum length of the visitor's explanation in the form, in characters. Fits into
 * `maxReasonLength` after the longest choice.
 */
export const maxExplanationLength = 900

/** Returns the reason of a report made with the form. */
export function reportReason(choice: ReportChoice, explanation: string): string {
  return `${reportChoices[choice]}: ${explanation}`
}

/** Number of days from closing a report to deleting it. */
export const closedReportDays = 30

/**
 * Number of days from the last statement of an open report to deleting it. It is kept longer while
 * storage still has the bytes of the file.
 */
export const openReportDays = 180

/** How the administrator closed a report. */
export const reportOutcomes = ['taken-down', 'dismissed'] as const
export type ReportOutcome = (typeof reportOutcomes)[number]
