import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ownPasswordChangeMethods } from '../../shared/rules/accounts/audit-action.ts'
import { fileEmails } from '../../shared/rules/files/file-emails.ts'
import { trialEmails } from '../../shared/rules/tiers/trial.ts'
import type { Db } from '../db/transaction.ts'

const timestamp = z.iso.datetime()

/**
 * A queued request to send an email. It contains little more than an id or an email address, and
 * the sending job looks up the rest. So adding a request takes the same time whether or not the
 * account exists, and the queue contains no secret links. Addresses are in lower case.
 */
export const mailRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('forgot-password'), email: z.string(), askedAt: timestamp }),
  z.object({
    kind: z.literal('password-changed'),
    userId: z.string(),
    changedAt: timestamp,
    changedBy: z.enum(ownPasswordChangeMethods),
    /** True if Google sign-in was removed along with the old password. */
    removedGoogle: z.boolean(),
  }),
  z.object({
    kind: z.literal('trial'),
    userId: z.string(),
    about: z.enum(trialEmails),
    endsAt: timestamp,
  }),
  z.object({
    kind: z.literal('google-linked'),
    userId: z.string(),
    linkedAt: timestamp,
    /** True if older sign-in methods were removed because the address was unverified. */
    tookOver: z.boolean(),
  }),
  /** Contains all that the email needs, because the account no longer exists. */
  z.object({
    kind: z.literal('account-deleted'),
    email: z.string(),
    isVerified: z.boolean(),
    /** True if the owner deleted the account, false if the administrator did. */
    isByOwner: z.boolean(),
    deletedAt: timestamp,
    deletedFiles: z.int().nonnegative(),
  }),
  z.object({ kind: z.literal('feedback'), feedbackId: z.uuid() }),
  z.object({
    kind: z.literal('feedback-digest'),
    /** Start of the reported period, inclusive. */
    from: timestamp,
    /** End of the reported period, exclusive. */
    until: timestamp,
  }),
  z.object({ kind: z.literal('report'), fileId: z.uuid() }),
  z.object({
    kind: z.literal('links'),
    userId: z.string(),
    about: z.enum(fileEmails),
    linkIds: z.array(z.uuid()),
  }),
  z.object({
    kind: z.literal('deliveries'),
    requestId: z.uuid(),
    /** When the period that the email reports began. */
    since: timestamp,
  }),
  z.object({ kind: z.literal('request-closes'), requestId: z.uuid(), closesAt: timestamp }),
  z.object({
    kind: z.literal('takedown'),
    userId: z.string(),
    fileIds: z.array(z.uuid()),
    reason: z.string(),
    takenDownAt: timestamp,
  }),
  /** A link that its owner sends. The row of `link_emails` has the rest. */
  z.object({ kind: z.literal('shared-link'), emailId: z.uuid() }),
  z.object({ kind: z.literal('signup'), signupId: z.string() }),
  z.object({
    kind: z.literal('resend-verification'),
    email: z.string(),
    /** The id of a signup or account, from the browser's cookie. Null without a cookie. */
    subject: z.string().nullable(),
    askedAt: timestamp,
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
 * The email queue. It retries a failed email for up to a day. It keeps each request for
 * `emailRetentionMs` after the email was sent or permanently rejected, or the queue gave up on it.
 */
export interface MailQueue {
  /**
   * Adds a request with a single insert. With `tx`, the email is sent only if that transaction
   * commits. With `schedule`, it is sent no earlier than `schedule.at`. A request whose key is
   * already queued is ignored.
   */
  add(request: MailRequest, tx?: Db, schedule?: EmailSchedule): Promise<void>
}

/** When to send an email, and the UUID that identifies its request in the queue. */
export interface EmailSchedule {
  at: Date
  key: string
}

/**
 * Derives an email's queue key from a name that identifies its purpose: a version 8 UUID from a
 * hash. The queue accepts each key once, so the email is sent once.
 */
export function emailKey(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
