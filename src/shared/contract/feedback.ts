import { z } from 'zod'
import { maxEmailLength } from '../rules/accounts/email-limits.ts'
import { feedbackCategories } from '../rules/accounts/feedback.ts'
import { hasVisibleCharacter, isPlainLine } from '../rules/format/text.ts'
import { endpoint } from './endpoint.ts'
import { isoDate, messageResponse, multilineText, tooLongText } from './fields.ts'

/** Maximum length of each field, in characters. */
export const maxFeedbackLengths = { name: 100, email: maxEmailLength, message: 5000 } as const

function singleLine(max: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max, tooLongText(max))
    .refine((text) => isPlainLine(text) && hasVisibleCharacter(text), 'Must be one line of text.')
}

/** Spec §5, feedback: name, email and message are required, and the email contains an @. */
export const feedbackBody = z.object({
  name: singleLine(maxFeedbackLengths.name),
  email: singleLine(maxFeedbackLengths.email).refine(
    (text) => text.includes('@'),
    'Please enter a valid email address.',
  ),
  category: z
    .enum([...feedbackCategories, ''])
    .optional()
    .transform((category) => category || null),
  message: multilineText(maxFeedbackLengths.message),
  website: z.string().max(500).optional().describe('Leave it out: only bots fill it in.'),
})

const feedbackSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  category: z.enum(feedbackCategories).nullable(),
  message: z.string(),
  createdAt: isoDate,
  isSuspect: z.boolean().describe('Whether a bot probably sent it. Then no email is sent.'),
})
export type Feedback = z.infer<typeof feedbackSchema>

export const feedback = {
  sendFeedback: endpoint('POST', '/api/feedback', {
    summary: 'Send feedback',
    access: 'visitor',
    body: feedbackBody,
    response: messageResponse,
  }),
  sendFeedbackForm: endpoint('POST', '/api/feedback/form', {
    summary: 'Send feedback by the form of the page',
    access: 'visitor',
    bytes: { types: ['application/x-www-form-urlencoded'], maxSize: 64 * 1024 },
    response: { raw: 'page' },
  }),
  listFeedback: endpoint('GET', '/api/admin/feedback', {
    summary: 'List feedback, newest first',
    access: 'admin',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(50),
      cursor: z.string().max(200).optional(),
    }),
    response: z.array(feedbackSchema),
  }),
  deleteFeedback: endpoint('DELETE', '/api/admin/feedback/{id}', {
    summary: 'Delete feedback',
    access: 'admin',
    params: z.object({ id: z.string().max(64) }),
    response: messageResponse,
    errors: ['FEEDBACK_NOT_FOUND'],
  }),
}
