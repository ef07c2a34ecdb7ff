import { trialLetterDue, trialLetters } from '../../shared/rules/tiers/trial.ts'
import type { Db, Deps } from '../deps.ts'
import { letterKey } from '../email/letter-key.ts'
import type { UserRow } from './queries.ts'

/**
 * Requests the letters about a trial that has just begun, each for the time when it is due. Pass
 * the transaction in which the trial began. A user has one trial, and each letter has one key in
 * the queue, so none is requested twice. When a letter is due, `writeTrialMail` decides
 * whether it is still right.
 */
export async function askForTrialLetters(
  mailQueue: Deps['mailQueue'],
  { id: userId, premiumTrialEndsAt: endsAt }: Pick<UserRow, 'id' | 'premiumTrialEndsAt'>,
  tx: Db,
): Promise<void> {
  if (endsAt === null) return
  for (const letter of trialLetters) {
    const request = { kind: 'trial', userId, letter, endsAt: endsAt.toISOString() } as const
    const later = {
      at: trialLetterDue(letter, endsAt),
      key: letterKey(`trial letter ${letter} ${userId}`),
    }
    await mailQueue.add(request, tx, later)
  }
}
