import { z } from 'zod'
import { feedbackCategories } from '../rules/accounts/feedback.ts'
import { longestAddress } from '../rules/accounts/mail-address.ts'
import { endpoint } from './endpoint.ts'
import { done, isoDate, isPlainLine, isVisible, linesOfText, tooLong } from './fields.ts'

/** The greatest length of each text in the form, in characters. */
export const longestFeedback = { name: 100, email: longestAddress, message: 5000 } as const

/**
 * The schema of a text of one line. Emails and lists show it, so it must not contain characters
 * that reorder text.
 */
function line(most: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(most, tooLong(most))
    .refine((text) => isPlainLine(text) && isVisible(text), 'Must be one line of text.')
}

/** Spec §5, feedback: name, email and message are required, and the email contains an @. */
export const feedbackBody = z.object({
  name: line(longestFeedback.name),
  email: line(longestFeedback.email).refine(
    (text) => text.includes('@'),
    'Please enter a valid email address.',
  ),
  category: z
    .enum([...feedbackCategories, ''])
    .optional()
    .transform((category) => category || null),
  message: linesOfText(longestFeedback.message),
  /** A field that people cannot see, so they leave it empty. Robots fill in every field. */
  website: z.string().max(500).optional(),
})

const feedbackSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  category: z.enum(feedbackCategories).nullable(),
  message: z.string(),
  createdAt: isoDate,
  /** True if a robot seems to have sent it. Such feedback is kept, but gets no email of its own. */
  isSuspect: z.boolean(),
})
export type Feedback = z.infer<typeof feedbackSchema>

export const feedback = {
  sendFeedback: endpoint({
    method: 'POST',
    path: '/api/feedback',
    summary: 'Send feedback. It is kept, and mailed to the address for support.',
    access: 'visitor',
    body: feedbackBody,
    response: done,
    errors: [],
  }),
  sendFeedbackForm: endpoint({
    method: 'POST',
    path: '/api/feedback/form',
    summary:
      'The same for a form that a browser sends without scripts. The answer is a page that says whether it was sent.',
    access: 'visitor',
    bytes: { types: ['application/x-www-form-urlencoded'], maxSize: 64 * 1024 },
    response: { raw: 'page' },
    errors: [],
  }),
  listFeedback: endpoint({
    method: 'GET',
    path: '/api/admin/feedback',
    summary:
      'All feedback, newest first: a page of at most `limit`. The header `x-next-cursor` leads to the next page; the last page has none.',
    access: 'admin',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z.string().max(200).optional(),
    }),
    response: z.array(feedbackSchema),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  deleteFeedback: endpoint({
    method: 'DELETE',
    path: '/api/admin/feedback/{id}',
    summary:
      'Delete one feedback for good. The audit log says that it was deleted, not what it said.',
    access: 'admin',
    // Any text is accepted as an id, since a wrong id only finds no feedback.
    params: z.object({ id: z.string().max(64) }),
    response: done,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'FEEDBACK_NOT_FOUND'],
  }),
}
