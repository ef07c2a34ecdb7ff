import { and, eq } from 'drizzle-orm'
import type { Context } from 'hono'
import { utcDay } from '../../shared/rules/format/day.ts'
import { keyedHash } from '../auth/secrets.ts'
import { downloadStarts } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import type { Downloaded, WriteCount } from '../downloads/queries.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import type { HttpEnv } from '../http/env.ts'
import type { LinkRow } from './queries.ts'

/** True if the owner has limited the number of downloads. */
export function isLimited(link: Pick<LinkRow, 'maxDownloads'>): boolean {
  return link.maxDownloads !== null
}

/**
 * Counts a download of a limited link before its first byte is sent. A download that starts later
 * in the file continues an earlier one if the same client has begun one; otherwise it counts too.
 * @throws {AppError} LINK_NOT_FOUND if there is no download left.
 */
export type AdmitDownload = (
  link: Pick<LinkRow, 'id'>,
  downloaded: Downloaded,
  context: Context<HttpEnv>,
  start: number,
) => Promise<void>

export function makeDownloadAdmission(
  { clock, db, secret }: Pick<Deps, 'clock' | 'db' | 'secret'>,
  writeCount: WriteCount,
): AdmitDownload {
  return async (link, downloaded, context, start) => {
    const client = keyedHash(secret, 'download', addressBlock(context.get('clientAddress')))
    const isKnown = and(eq(downloadStarts.linkId, link.id), eq(downloadStarts.client, client))
    if (start > 0 && (await db.$count(downloadStarts, isKnown)) > 0) return
    const now = clock()
    const wasCounted = await writeCount(downloaded, utcDay(now), 1, now)
    if (!wasCounted) throw new AppError('LINK_NOT_FOUND')
    await db.insert(downloadStarts).values({ linkId: link.id, client }).onConflictDoNothing()
  }
}
