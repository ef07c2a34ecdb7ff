import { z } from 'zod'
import type { Db } from '../db/db.ts'

const moment = z.iso.datetime()

/**
 * What a mail is asked for with. The job that sends it finds out the rest, so that asking costs the
 * same whether or not an account exists, and no link that lets anybody in waits in the queue.
 */
export const mailRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('forgot-password'), email: z.string(), askedAt: moment }),
  z.object({ kind: z.literal('password-changed'), userId: z.string(), changedAt: moment }),
])
export type MailRequest = z.infer<typeof mailRequest>

/** Mail on its way: it is kept in the database until it was sent or refused for good. */
export interface MailQueue {
  /** One insert. With `tx` the mail is asked for only if that transaction commits. */
  add(request: MailRequest, tx?: Db): Promise<void>
}
