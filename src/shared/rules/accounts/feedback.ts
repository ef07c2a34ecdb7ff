/** The categories of feedback (spec §2). */
export const feedbackCategories = ['bug', 'feature', 'improvement', 'general', 'other'] as const

export type FeedbackCategory = (typeof feedbackCategories)[number]

/** The display name of each category (spec §2). */
export const categoryLabels: Readonly<Record<FeedbackCategory, string>> = {
  bug: 'Bug Report',
  feature: 'Feature Request',
  improvement: 'Improvement Suggestion',
  general: 'General Feedback',
  other: 'Other',
}

/** Maximum number of feedback messages stored per hour, from all clients combined. */
export const maxFeedbackPerHour = 100

/**
 * Maximum number of feedback messages emailed individually per hour. The rest are covered by a
 * summary at the end of the hour.
 */
export const maxFeedbackEmailsPerHour = 30
