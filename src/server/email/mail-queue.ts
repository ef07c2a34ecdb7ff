import { z } from 'zod'
import { trialLetters } from '../../shared/rules/trial-letters.ts'
import type { Db } from '../db/db.ts'

const moment = z.iso.datetime()

/**
 * A request for mail. The job that sends the mail looks up the rest. So a request costs the same
 * whether or not the account exists, and no secret link waits in the queue. Addresses are in lower
 * case.
 */
export const mailRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('forgot-password'), email: z.string(), askedAt: moment }),
  z.object({
    kind: z.literal('password-changed'),
    userId: z.string(),
    changedAt: moment,
    /** By the link in a letter, or by a signed-in user. Requests of older versions do not say. */
    changedBy: z.enum(['letter', 'session']).default('letter'),
  }),
  z.object({
    kind: z.literal('trial'),
    userId: z.string(),
    letter: z.enum(trialLetters),
    /** The end of the trial that the letter is about. */
    endsAt: moment,
  }),
  z.object({
    kind: z.literal('google-linked'),
    userId: z.string(),
    linkedAt: moment,
    /** Whether whoever registered the address before gave way. */
    tookOver: z.boolean(),
  }),
  z.object({ kind: z.literal('signup'), signupId: z.string() }),
  z.object({
    kind: z.literal('resend-verification'),
    email: z.string(),
    /** The signup or the account that the browser asks for, by its id; null where it names none. */
    subject: z.string().nullable(),
    askedAt: moment,
  }),
])
export type MailRequest = z.infer<typeof mailRequest>

/** The queue of mail. The database keeps each mail until it is sent or refused for good. */
export interface MailQueue {
  /**
   * Adds one request, by one insert. With `tx` the mail is sent only if that transaction commits.
   * With `later` it is sent at that moment or after it. A request whose key is already in the queue
   * adds nothing.
   */
  add(request: MailRequest, tx?: Db, later?: LaterMail): Promise<void>
}

/** When a mail is to be sent, and a UUID that no other mail has. */
export interface LaterMail {
  at: Date
  key: string
}
