import type { Context } from 'hono'
import { utcDay } from '../../shared/rules/format/day.ts'
import { keyedHash } from '../auth/secrets.ts'
import type { Deps } from '../deps.ts'
import type { Downloaded, WriteCount } from '../downloads/queries.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import type { HttpEnv } from '../http/env.ts'
import { hasDownloadStart, insertDownloadStart } from './queries.ts'

export interface LimitedDownloads {
  /** True if the client has begun this download before, and so may resume it. */
  hasBegun(downloaded: Downloaded, context: Context<HttpEnv>): Promise<boolean>
  /**
   * Counts a download of a limited link before its first byte is sent. A download that starts later
   * in the file continues an earlier one if the same client has begun it; otherwise it counts too.
   * @throws {AppError} LINK_NOT_FOUND if there is no download left.
   */
  admit(downloaded: Downloaded, context: Context<HttpEnv>, start: number): Promise<void>
}

export function makeLimitedDownloads(
  { clock, db, secret }: Pick<Deps, 'clock' | 'db' | 'secret'>,
  writeCount: WriteCount,
): LimitedDownloads {
  const toStart = ({ linkId, fileId }: Downloaded, context: Context<HttpEnv>) => {
    const address = addressBlock(context.get('clientAddress'))
    return { linkId, client: keyedHash(secret, 'download', `${address} ${fileId}`) }
  }

  const hasBegun: LimitedDownloads['hasBegun'] = (downloaded, context) => {
    const { linkId, client } = toStart(downloaded, context)
    return hasDownloadStart(db, linkId, client)
  }

  return {
    hasBegun,

    async admit(downloaded, context, start) {
      if (start > 0 && (await hasBegun(downloaded, context))) return
      const now = clock()
      const wasCounted = await writeCount(downloaded, utcDay(now), 1, now)
      if (!wasCounted) throw new AppError('LINK_NOT_FOUND')
      await insertDownloadStart(db, toStart(downloaded, context))
    },
  }
}
