import { z } from 'zod'
import { ownPasswordChanges } from '../../shared/rules/accounts/audit-ways.ts'
import { fileLetters } from '../../shared/rules/files/file-letters.ts'
import { trialLetters } from '../../shared/rules/tiers/trial.ts'
import type { Db } from '../db/db.ts'

const moment = z.iso.datetime()

/**
 * A request to send an email. It holds little more than an id or an address. The job that sends the
 * mail looks up everything else. So a request costs the same whether or not the account exists, and
 * no secret link waits in the queue. Addresses are in lower case.
 */
export const mailRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('forgot-password'), email: z.string(), askedAt: moment }),
  z.object({
    kind: z.literal('password-changed'),
    userId: z.string(),
    changedAt: moment,
    /**
     * How the password was changed. Requests that an older version of the server queued lack this
     * field.
     */
    changedBy: z.enum(ownPasswordChanges).default('letter'),
    /** Whether Google was removed from the account too. Earlier versions never did that. */
    removedGoogle: z.boolean().default(false),
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
    /**
     * Whether older ways to sign in were removed, because nobody had verified the address before.
     */
    tookOver: z.boolean(),
  }),
  z.object({ kind: z.literal('feedback'), feedbackId: z.uuid() }),
  z.object({
    kind: z.literal('feedback-digest'),
    /** The letter is about the feedback that was sent from this moment on. */
    from: moment,
    /** The letter is about the feedback that was sent before this moment. */
    until: moment,
  }),
  z.object({ kind: z.literal('report'), fileId: z.uuid() }),
  z.object({
    kind: z.literal('files'),
    userId: z.string(),
    letter: z.enum(fileLetters),
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

/** The kinds of letters that go to the support address. Their requests name no recipient. */
export const supportLetters = [
  'feedback',
  'feedback-digest',
  'report',
] as const satisfies MailRequest['kind'][]
export type SupportLetter = (typeof supportLetters)[number]

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
  /**
   * Removes all waiting requests for emails to a person, even those for a later time. It cannot
   * stop an email that the server is sending at this moment.
   * @returns how many requests were removed.
   */
  withdraw(person: Addressee, tx: Db): Promise<number>
}

/** The ways in which a request can name the person who gets its email. */
export interface Addressee {
  userId: string
  /** In lower case. */
  email: string
  signupIds: readonly string[]
}

/** When an email is to be sent, and its key: a UUID that no other email has. */
export interface LaterMail {
  at: Date
  key: string
}
