import { createHash } from 'node:crypto'
import { trialLetterDue, trialLetters } from '../../shared/rules/trial-letters.ts'
import type { Db, Deps } from '../deps.ts'
import type { UserRow } from './queries.ts'

/**
 * Requests the letters about a trial that has just begun, each for the time when it is due. Pass
 * the transaction in which the trial began. A user has one trial, and each letter has one key in
 * the queue, so no letter is ever sent twice. When a letter is due, `writeTrialMail` decides
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
    const later = { at: trialLetterDue(letter, endsAt), key: letterKey(userId, letter) }
    await mailQueue.add(request, tx, later)
  }
}

/** Returns the key of one letter to one user: a UUID of version 8, which is made from a hash. */
function letterKey(userId: string, letter: string): string {
  const hash = createHash('sha256').update(`trial letter ${letter} ${userId}`).digest('hex')
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
