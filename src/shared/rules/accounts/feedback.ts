/** The categories of feedback (spec §2). */
export const feedbackCategories = ['bug', 'feature', 'improvement', 'general', 'other'] as const

export type FeedbackCategory = (typeof feedbackCategories)[number]

/** The name of each category for people (spec §2). */
export const categoryLabels: Readonly<Record<FeedbackCategory, string>> = {
  bug: 'Bug Report',
  feature: 'Feature Request',
  improvement: 'Improvement Suggestion',
  general: 'General Feedback',
  other: 'Other',
}

/** How much feedback the server stores in an hour, from all addresses together. */
export const maxFeedbackPerHour = 100

/** How much of it is emailed one by one. A summary after the hour tells of the rest. */
export const maxFeedbackEmailsPerHour = 30
