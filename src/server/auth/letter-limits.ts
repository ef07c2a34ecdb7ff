import { and, eq, gt } from 'drizzle-orm'
import {
  type LimitedLetter,
  letterLimits,
  letterWindowMs,
} from '../../shared/rules/accounts/letter-limit.ts'
import { sentLetters } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { lockAddress } from './queries.ts'

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
    const { email, kind } = letter
    const sent = await tx.$count(
      sentLetters,
      and(eq(sentLetters.email, email), eq(sentLetters.kind, kind), gt(sentLetters.sentAt, since)),
    )
    if (sent >= letterLimits[kind]) return false
    await tx.insert(sentLetters).values({ email, kind, sentAt: now })
    return true
  })
}
