import { momentText } from '../../shared/rules/moment-text.ts'
import { isTrialLetterStale } from '../../shared/rules/trial-letters.ts'
import type { Deps } from '../deps.ts'
import { type Addressed, nameOf, recipientOf } from '../email/addressed.ts'
import { trialEndedLetter } from '../email/letters/trial-ended.ts'
import { trialEndsLetter } from '../email/letters/trial-ends.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { findUser } from './queries.ts'

type TrialMail = Extract<MailRequest, { kind: 'trial' }>

/**
 * Writes a letter about a trial, at the time it is sent. Returns null if the letter is wrong by
 * then. The user may be gone, have become premium for good, or have left the trial. Or the letter
 * is too late, because a server or a mail server stood still.
 */
export async function writeTrialMail(
  { clock, config, db }: Pick<Deps, 'clock' | 'config' | 'db'>,
  { userId, letter, endsAt: endsAtText }: TrialMail,
): Promise<Addressed | null> {
  const endsAt = new Date(endsAtText)
  if (isTrialLetterStale(letter, endsAt, clock())) return null
  const user = await findUser(db, userId)
  // Leaving a trial and becoming premium for good both clear its end.
  if (user?.premiumTrialEndsAt?.getTime() !== endsAt.getTime()) return null
  const facts = {
    name: nameOf(user),
    endsAt: momentText(endsAt),
    dashboard: `${config.appUrl.origin}/`,
  }
  const content =
    letter === 'ended'
      ? trialEndedLetter(facts)
      : trialEndsLetter({ ...facts, left: letter === 'three-days' ? '3 days' : '1 day' })
  return { to: recipientOf(user), content }
}
