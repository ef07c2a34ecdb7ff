import { z } from 'zod'
import type { Db } from '../db/db.ts'

const moment = z.iso.datetime()

/**
 * A request for mail. The job that sends the mail looks up the rest. So a request costs the same
 * whether or not the account exists, and no secret link waits in the queue.
 */
export const mailRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('forgot-password'), email: z.string(), askedAt: moment }),
  z.object({ kind: z.literal('password-changed'), userId: z.string(), changedAt: moment }),
])
export type MailRequest = z.infer<typeof mailRequest>

/** The queue of mail. The database keeps each mail until it is sent or refused for good. */
export interface MailQueue {
  /**
   * Adds one request, by one insert. With `tx` the mail is sent only if that transaction commits.
   */
  add(request: MailRequest, tx?: Db): Promise<void>
}
