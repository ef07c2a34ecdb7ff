import { momentText } from '../../shared/rules/format/moment-text.ts'
import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import { isTrialLetterStale } from '../../shared/rules/tiers/trial.ts'
import type { Deps } from '../deps.ts'
import { type Addressed, nameOf, recipientOf } from '../email/addressed.ts'
import { trialEndedLetter } from '../email/letters/trial-ended.ts'
import { trialEndsLetter } from '../email/letters/trial-ends.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { findUser } from './queries.ts'

type TrialMail = Extract<MailRequest, { kind: 'trial' }>

/**
 * Writes a letter about a trial at the time when it is sent. Returns null if the letter is no
 * longer right: the user no longer exists, has Premium without an end, or has left the trial, or it
 * is too late for the letter because a server did not run for a while.
 */
export async function writeTrialMail(
  { clock, config, db, settings }: Pick<Deps, 'clock' | 'config' | 'db' | 'settings'>,
  { userId, letter, endsAt: endsAtText }: TrialMail,
): Promise<Addressed | null> {
  const endsAt = new Date(endsAtText)
  if (isTrialLetterStale(letter, endsAt, clock())) return null
  const user = await findUser(db, userId)
  // The date becomes null when a user leaves the trial or gets Premium without an end. This letter
  // would then be wrong. A trial that simply ends keeps its date.
  if (user?.premiumTrialEndsAt?.getTime() !== endsAt.getTime()) return null
  const facts = {
    name: nameOf(user),
    endsAt: momentText(endsAt),
    limits: (await settings.limits())[defaultTier],
    dashboard: `${config.appUrl.origin}/`,
  }
  const content =
    letter === 'ended'
      ? trialEndedLetter(facts)
      : trialEndsLetter({ ...facts, left: letter === 'three-days' ? '3 days' : '1 day' })
  return { to: recipientOf(user), content }
}
