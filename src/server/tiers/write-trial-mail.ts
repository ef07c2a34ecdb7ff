import { momentText } from '../../shared/rules/format/moment-text.ts'
import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import { isTrialEmailStale } from '../../shared/rules/tiers/trial.ts'
import type { Deps } from '../deps.ts'
import { emailToOwner, nameOf, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { trialEndedEmail, trialEndsEmail } from '../email/templates/trial.ts'
import { findUser } from './queries.ts'

type TrialMail = Extract<MailRequest, { kind: 'trial' }>

/**
 * Writes an email about a trial at the time when it is sent. Returns null if the email is no
 * longer right: the user no longer exists, has Premium without an end, or has left the trial, or it
 * is too late for the email because a server did not run for a while.
 */
export async function writeTrialMail(
  { clock, config, db, settings }: Pick<Deps, 'clock' | 'config' | 'db' | 'settings'>,
  { userId, about, endsAt: endsAtText }: TrialMail,
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
