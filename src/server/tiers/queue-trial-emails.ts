import { trialEmailDue, trialEmails } from '../../shared/rules/tiers/trial.ts'
import type { Db, Deps } from '../deps.ts'
import { emailKey } from '../email/mail-queue.ts'
import type { UserRow } from './queries.ts'

/**
 * Requests the emails about a trial that has just begun, each for the time when it is due. Pass
 * the transaction in which the trial began. A user has one trial, and each email has one key in
 * the queue, so none is requested twice. When an email is due, `writeTrialMail` decides
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
