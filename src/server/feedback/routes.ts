import type { Context } from 'hono'
import { z } from 'zod'
import { feedbackBody, maxFeedbackLengths } from '../../shared/contract/feedback.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { parseCursor, takePage, timestamp } from '../http/cursor.ts'
import type { HttpEnv, PageResponder } from '../http/env.ts'
import { formFields, type Handlers } from '../http/mount.ts'
import { deleteFeedback } from './delete-feedback.ts'
import { listFeedback } from './queries.ts'
import { sendFeedback } from './send-feedback.ts'

const cursorSchema = z.tuple([timestamp, z.uuid()])

/** Routes for sending feedback (spec §7), and for the administrator to read and delete it. */
export function feedbackRoutes(
  deps: Pick<Deps, 'clock' | 'config' | 'db' | 'mailQueue' | 'rateLimits'>,
  showPage: PageResponder,
) {
  return {
    async sendFeedback({ body, clientAddress }) {
      await sendFeedback(deps, body, clientAddress)
      return { message: 'Thank you for your feedback.' }
    },

    async sendFeedbackForm({ clientAddress, context }) {
      try {
        await sendFeedback(deps, await readForm(context), clientAddress)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const { status, message, headers } = error
        return showPage(context, 'feedback-failed', { status, reason: message, headers })
      }
      return showPage(context, 'feedback-sent', { status: 200 })
    },

    async listFeedback({ query: { limit, cursor }, context }) {
      const after = parseCursor(cursorSchema, cursor)
      const rows = await listFeedback(deps.db, { limit: limit + 1, after })
      return takePage(context, rows, { limit, cursorOf: (row) => [row.createdAt, row.id] })
    },

    async deleteFeedback({ params, user, clientAddress }) {
      await deleteFeedback(deps, params.id, { id: user.id, ipAddress: clientAddress })
      return { message: 'Feedback deleted' }
    },
  } satisfies Partial<Handlers>
}

/**
 * Reads a form sent without JavaScript. The browser has already checked the fields, so errors are
 * rare.
 * @throws {AppError} INVALID_INPUT
 */
async function readForm(context: Context<HttpEnv>): Promise<z.output<typeof feedbackBody>> {
  const parsed = feedbackBody.safeParse(formFields(context))
  if (parsed.success) return parsed.data
  throw new AppError('INVALID_INPUT', { message: formErrorMessage(parsed.error) })
}

/**
 * Describes the errors in a form. Missing and invalid fields are reported before fields that are
 * too long.
 */
function formErrorMessage({ issues }: z.ZodError): string {
  const isTooLong = issues.every(({ code }) => code === 'too_big')
  const field = issues[0]?.path[0]
  if (!isTooLong || (field !== 'name' && field !== 'email' && field !== 'message')) {
    return 'Please fill in all required fields, and give a valid email address.'
  }
  const maxLengthText = groupDigits(maxFeedbackLengths[field])
  return `The ${field} is too long. Please use at most ${maxLengthText} characters.`
}
