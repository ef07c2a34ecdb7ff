import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import { isTrialEmailStale, trialEmailDue, trialEmails } from '../../shared/rules/tiers/trial.ts'
import type { Db, Deps } from '../deps.ts'
import { emailToOwner, greetingName, type OutgoingEmail } from '../email/email.ts'
import { emailKey, type MailRequest } from '../email/mail-queue.ts'
import { trialEndedEmail, trialEndsEmail } from '../email/templates/trial.ts'
import { findUser, type UserRow } from './queries.ts'

type TrialRequest = Extract<MailRequest, { kind: 'trial' }>

/**
 * Queues the emails about a new trial for their due times, in the transaction that starts the
 * trial. When an email is due, `writeTrialEmail` checks whether it still applies.
 */
export async function queueTrialEmails(
  mailQueue: Deps['mailQueue'],
  { id: userId, premiumTrialEndsAt: endsAt }: Pick<UserRow, 'id' | 'premiumTrialEndsAt'>,
  tx: Db,
): Promise<void> {
  if (endsAt === null) return
  for (const about of trialEmails) {
    const request = { kind: 'trial', userId, about, endsAt: endsAt.toISOString() } as const
    const schedule = {
      at: trialEmailDue(about, endsAt),
      key: emailKey(`trial email ${about} ${userId}`),
    }
    await mailQueue.add(request, tx, schedule)
  }
}

/**
 * Renders a trial email when it is due. Returns null if the user was deleted, left the trial or got
 * permanent Premium, or if the email is stale because no server was running when it was due.
 */
export async function writeTrialEmail(
  { clock, config, db, settings }: Pick<Deps, 'clock' | 'config' | 'db' | 'settings'>,
  { userId, about, endsAt: endsAtText }: TrialRequest,
): Promise<OutgoingEmail | null> {
  const endsAt = new Date(endsAtText)
  if (isTrialEmailStale(about, endsAt, clock())) return null
  const user = await findUser(db, userId)
  // This date is cleared when the user leaves the trial or gets permanent Premium, but not when the
  // trial ends.
  if (user?.premiumTrialEndsAt?.getTime() !== endsAt.getTime()) return null
  const details = {
    name: greetingName(user),
    endsAt: timestampText(endsAt),
    limits: (await settings.limits())[defaultTier],
    dashboard: `${config.appUrl.origin}/`,
  }
  const content =
    about === 'ended'
      ? trialEndedEmail(details)
      : trialEndsEmail(details, about === 'three-days' ? '3 days' : '1 day')
  return emailToOwner(user, content)
}
