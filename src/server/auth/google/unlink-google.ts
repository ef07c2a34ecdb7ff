import { writeAudit } from '../../audit/audit-log.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { counter } from '../../http/rate-limit.ts'
import { lockCredentials } from '../queries.ts'
import { endOtherSessions, type OwnSession } from '../session-queries.ts'
import { unlinkEntry } from './link-entry.ts'
import { deleteGoogle, listWays } from './queries.ts'

/**
 * Removes Google from an account, and the picture that came with it. The account's other sessions
 * end, because somebody who must no longer get in may have opened them with Google. The ways to
 * sign in are counted while the account is locked, so that two parallel removals cannot take away
 * the last one.
 * @param address the client's address.
 * @throws {AppError} NOT_FOUND where Google is not linked; LAST_WAY_IN; TOO_MANY_REQUESTS.
 */
export async function unlinkGoogle(
  { clock, db, rateLimits }: Pick<Deps, 'clock' | 'db' | 'rateLimits'>,
  caller: OwnSession,
  address: string,
): Promise<void> {
  const { userId } = caller
  // The audit log keeps every change forever. So the number of changes must be limited.
  await rateLimits.spend([counter('googleChangesByUser', userId)])
  await db.transaction(async (tx) => {
    await lockCredentials(tx, userId)
    const ways = await listWays(tx, userId)
    if (!ways.some(({ way }) => way === 'google')) {
      throw new AppError('NOT_FOUND', { message: 'Google is not linked to this account.' })
    }
    if (ways.length === 1) throw new AppError('LAST_WAY_IN')
    await deleteGoogle(tx, userId)
    await endOtherSessions(tx, caller)
    await writeAudit(tx, [unlinkEntry({ userId, address, now: clock() })])
  })
}
