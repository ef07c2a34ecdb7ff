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
