import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { endTrials } from './queries.ts'
import { tierEntry } from './tier-entry.ts'

const batchSize = 500

/**
 * Sets users whose trial has ended to free. Their Premium ends at its date even before this job
 * runs (see `effectiveTier`). The job only updates the rows and writes to the audit log. It works
 * in batches, each in its own transaction. If it is interrupted, the next run continues. Several
 * servers share the work.
 * @returns how many users were set to free.
 */
export async function expireTrials({
  clock,
  db,
}: Pick<Deps, 'clock' | 'db'>): Promise<{ expiredCount: number }> {
  let expiredCount = 0
  for (;;) {
    const ended = await db.transaction(async (tx) => {
      const now = clock()
      const users = await endTrials(tx, now, batchSize)
      const entries = users.map(({ id, premiumTrialEndsAt }) =>
        tierEntry({
          userId: id,
          reason: 'trial',
          from: { tier: 'premium', premiumTrialEndsAt },
          to: { tier: 'free', premiumTrialEndsAt },
          at: now,
          actor: null,
          ipAddress: null,
        }),
      )
      await writeAudit(tx, entries)
      return users.length
    })
    expiredCount += ended
    if (ended < batchSize) return { expiredCount }
  }
}
