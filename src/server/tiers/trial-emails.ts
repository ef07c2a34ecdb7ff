import { momentText } from '../../shared/rules/format/moment-text.ts'
import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import { isTrialEmailStale, trialEmailDue, trialEmails } from '../../shared/rules/tiers/trial.ts'
import type { Db, Deps } from '../deps.ts'
import { emailToOwner, nameOf, type OutgoingEmail } from '../email/email.ts'
import { emailKey, type MailRequest } from '../email/mail-queue.ts'
import { trialEndedEmail, trialEndsEmail } from '../email/templates/trial.ts'
import { findUser, type UserRow } from './queries.ts'

type TrialRequest = Extract<MailRequest, { kind: 'trial' }>

/**
 * Requests the emails about a trial that has just begun, each for the time when it is due. Pass
 * the transaction in which the trial began. A user has one trial, and each email has one key in
 * the queue, so none is requested twice. When an email is due, `writeTrialEmail` decides
 * whether it is still right.
 */
export async function queueTrialEmails(
  mailQueue: Deps['mailQueue'],
  { id: userId, premiumTrialEndsAt: endsAt }: Pick<UserRow, 'id' | 'premiumTrialEndsAt'>,
  tx: Db,
): Promise<void> {
  if (endsAt === null) return
  for (const about of trialEmails) {
    const request = { kind: 'trial', userId, about, endsAt: endsAt.toISOString() } as const
    const later = {
      at: trialEmailDue(about, endsAt),
      key: emailKey(`trial email ${about} ${userId}`),
    }
    await mailQueue.add(request, tx, later)
  }
}

/**
 * Writes an email about a trial at the time when it is sent. Returns null if the email is no
 * longer right: the user no longer exists, has Premium without an end, or has left the trial, or it
 * is too late for the email because a server did not run for a while.
 */
export async function writeTrialEmail(
  { clock, config, db, settings }: Pick<Deps, 'clock' | 'config' | 'db' | 'settings'>,
  { userId, about, endsAt: endsAtText }: TrialRequest,
): Promise<OutgoingEmail | null> {
  const endsAt = new Date(endsAtText)
  if (isTrialEmailStale(about, endsAt, clock())) return null
  const user = await findUser(db, userId)
  // The date becomes null when a user leaves the trial or gets Premium without an end. This email
  // would then be wrong. A trial that simply ends keeps its date.
  if (user?.premiumTrialEndsAt?.getTime() !== endsAt.getTime()) return null
  const facts = {
    name: nameOf(user),
    endsAt: momentText(endsAt),
    limits: (await settings.limits())[defaultTier],
    dashboard: `${config.appUrl.origin}/`,
  }
  const content =
    about === 'ended'
      ? trialEndedEmail(facts)
      : trialEndsEmail(facts, about === 'three-days' ? '3 days' : '1 day')
  return emailToOwner(user, content)
}
