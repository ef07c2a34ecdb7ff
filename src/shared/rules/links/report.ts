/** Maximum length of the reason for a report or a takedown, in characters. */
export const maxReasonLength = 1000

/**
 * The choices in the report form. When the form is submitted, the reason starts with the text of
 * the selected choice.
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
 * Maximum length of a visitor's explanation in the report form, in characters. Together with the
 * longest choice, it fits in `maxReasonLength`.
 */
export const maxExplanationLength = 900

/** Returns the reason for a report that was submitted with the form. */
export function reportReason(choice: ReportChoice, explanation: string): string {
  return `${reportChoices[choice]}: ${explanation}`
}

/** How many days a closed report is kept. */
export const closedReportDays = 30

/**
 * How many days an open report is kept after its last statement. If storage still has the file's
 * bytes, the report is kept for longer.
 */
export const openReportDays = 180

/** How the administrator closed a report. */
export const reportOutcomes = ['taken-down', 'dismissed'] as const
export type ReportOutcome = (typeof reportOutcomes)[number]
