import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { parseCursor, takePage } from '../http/cursor.ts'
import type { Handlers } from '../http/mount.ts'
import { listFeedback } from './queries.ts'
import { sendFeedback } from './send-feedback.ts'

const place = z.tuple([z.iso.datetime().transform((text) => new Date(text)), z.uuid()])

/** The calls for sending feedback (spec §7), and for listing it for the administrator. */
export function feedbackRoutes(
  deps: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'rateLimits'>,
): Handlers<'sendFeedback' | 'listFeedback'> {
  return {
    async sendFeedback({ body, clientAddress }) {
      await sendFeedback(deps, body, clientAddress)
      return { message: 'Thank you for your feedback.' }
    },

    async listFeedback({ query: { limit, cursor }, context }) {
      const after = cursor === undefined ? undefined : parseCursor(place, cursor)
      const rows = await listFeedback(deps.db, { limit: limit + 1, after })
      const page = takePage(context, rows, { limit, placeOf: (row) => [row.createdAt, row.id] })
      return page.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
    },
  }
}
