import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ownPasswordChanges } from '../../shared/rules/accounts/audit-action.ts'
import { fileEmails } from '../../shared/rules/files/file-emails.ts'
import { trialEmails } from '../../shared/rules/tiers/trial.ts'
import type { Db } from '../db/transaction.ts'

const moment = z.iso.datetime()

/**
 * A request to send an email. It has little more than an id or an address, and the job that sends
 * the email looks up everything else. So a request costs the same whether or not the account
 * exists, and the queue contains no secret link. Addresses are in lower case.
 */
export const mailRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('forgot-password'), email: z.string(), askedAt: moment }),
  z.object({
    kind: z.literal('password-changed'),
    userId: z.string(),
    changedAt: moment,
    changedBy: z.enum(ownPasswordChanges),
    /** Whether Google was removed from the account too. */
    removedGoogle: z.boolean(),
  }),
  z.object({
    kind: z.literal('trial'),
    userId: z.string(),
    about: z.enum(trialEmails),
    /** The end of the trial that the email is about. */
    endsAt: moment,
  }),
  z.object({
    kind: z.literal('google-linked'),
    userId: z.string(),
    linkedAt: moment,
    /** Whether older ways to sign in were removed, because the address was not verified. */
    tookOver: z.boolean(),
  }),
  z.object({ kind: z.literal('feedback'), feedbackId: z.uuid() }),
  z.object({
    kind: z.literal('feedback-digest'),
    /** The email is about the feedback that was sent from this moment on. */
    from: moment,
    /** The email is about the feedback that was sent before this moment. */
    until: moment,
  }),
  z.object({ kind: z.literal('report'), fileId: z.uuid() }),
  z.object({
    kind: z.literal('files'),
    userId: z.string(),
    about: z.enum(fileEmails),
    fileIds: z.array(z.uuid()),
  }),
  z.object({
    kind: z.literal('takedown'),
    /** The owner of the files. */
    userId: z.string(),
    fileIds: z.array(z.uuid()),
    reason: z.string(),
    takenDownAt: moment,
  }),
  z.object({ kind: z.literal('signup'), signupId: z.string() }),
  z.object({
    kind: z.literal('resend-verification'),
    email: z.string(),
    /** The id of the signup or the account that the browser named; null if it named none. */
    subject: z.string().nullable(),
    askedAt: moment,
  }),
])
export type MailRequest = z.infer<typeof mailRequest>

/** The kinds of emails that go to the support address. Their requests name no recipient. */
export const supportEmails = [
  'feedback',
  'feedback-digest',
  'report',
] as const satisfies MailRequest['kind'][]

/**
 * The queue of mail. A request waits until its email is sent, permanently refused, or given up
 * after a day of tries. The database keeps the request for `mailRequestKeptMs` after that.
 */
export interface MailQueue {
  /**
   * Adds one request, by one insert. With `tx` the email is sent only if that transaction commits.
   * With `later` the email is sent at that moment or after it. A request whose key is already in
   * the queue adds nothing.
   */
  add(request: MailRequest, tx?: Db, later?: LaterMail): Promise<void>
}

/** When an email is to be sent, and its key: a UUID that no other email has. */
export interface LaterMail {
  at: Date
  key: string
}

/**
 * Returns the key under which an email is queued: a UUID of version 8 made from a hash of `name`,
 * which says what the email is about. The queue takes only one email with the same key, so it is
 * sent once.
 */
export function emailKey(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
