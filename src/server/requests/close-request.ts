import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import { requests } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { lockRequest, markClosed } from './queries.ts'

/**
 * Closes a request: nothing new begins, and what has begun may finish for an hour. Closing it again
 * changes nothing.
 * @param closer its owner, or the administrator, who can close anybody's.
 * @throws {AppError} REQUEST_NOT_FOUND
 */
export async function closeRequest(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  id: string,
  closer: { ownerId: string } | { administrator: Actor },
): Promise<void> {
  if (!z.uuid().safeParse(id).success) throw new AppError('REQUEST_NOT_FOUND')
  await db.transaction(async (tx) => {
    const request = await lockRequest(tx, eq(requests.id, id))
    const isAllowed = 'administrator' in closer || closer.ownerId === request?.ownerId
    if (!request || !isAllowed) throw new AppError('REQUEST_NOT_FOUND')
    if (request.closedAt !== null) return
    const now = clock()
    await markClosed(tx, id, now)
    if ('ownerId' in closer) return
    const { ownerId: subject, code, title } = request
    const details = { code, title }
    await writeAudit(tx, [
      adminEntry(closer.administrator, now, { action: 'close-request', subject, details }),
    ])
  })
}
