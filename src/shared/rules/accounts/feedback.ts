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

/*
 * How much feedback the whole instance accepts, from all addresses together. A limit for each
 * address alone would let many addresses fill the database and the inbox of the support.
 */

/** In 24 hours the server stores at most this many feedback messages. It refuses more. */
export const mostFeedbackADay = 1000

/**
 * In an hour the server sends at most this many emails about feedback. It stores further feedback
 * without an email of its own, and tells of it by one email after the hour.
 */
export const maxFeedbackEmailsPerHour = 30
