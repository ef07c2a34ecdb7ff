import {
  type LimitedLetter,
  letterLimits,
  letterWindowMs,
} from '../../shared/rules/accounts/letter-limit.ts'
import type { Deps } from '../deps.ts'
import { lockAddress } from './address-owner-queries.ts'
import { countLetters, insertLetter } from './signup-queries.ts'

/**
 * Tells whether an address (in lower case) may get one more letter of this kind now. If so, counts
 * that letter. Jobs for one address wait for each other here, so they cannot exceed the limit
 * together. The client that asked for a letter does not learn the result.
 */
export function admitLetter(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  letter: { email: string; kind: LimitedLetter },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockAddress(tx, letter.email)
    const now = clock()
    const since = new Date(now.getTime() - letterWindowMs)
    if ((await countLetters(tx, letter, since)) >= letterLimits[letter.kind]) return false
    await insertLetter(tx, { ...letter, sentAt: now })
    return true
  })
}
