import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { isShortCode } from '../../shared/rules/links/short-code.ts'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { markPurged, takeDownFile } from '../files/queries.ts'
import { removeStored } from '../storage/remove-stored.ts'
import { proveContent, takeDownCopies } from './block-copies.ts'
import { blockContent, type ContentRow, findFileToTakeDown, lockContent } from './queries.ts'
import { closeReportsOfFiles, findLastReport } from './report-queries.ts'

type TakedownDeps = Pick<Deps, 'requestJob' | 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/** An administrator's request to take down a link. */
export interface TakedownRequest {
  shortCode: string
  /** Quoted in the email to the owner. */
  reason: string
  actor: Actor
}

/** The effects of a takedown on the link and on the file's content. */
export interface TakedownResult {
  /**
   * `ended`: this call took the file down. `ended-before`: an earlier takedown did. `over`: the
   * bytes were already deleted or being deleted, because the file had expired or its owner had
   * deleted it.
   */
  link: 'ended' | 'ended-before' | 'over'
  /**
   * `blocked`: the content can't be uploaded again. `waiting`: storage can't be read now, so a job
   * will block the content later. `gone`: the bytes are deleted and their SHA-256 is unknown.
   * `empty`: the file is empty, and empty content is never blocked.
   */
  content: 'blocked' | 'waiting' | 'gone' | 'empty'
  /** How many other files with the same content this call took down. */
  copies: number
}

/**
 * Takes a file down: ends its link, deletes its bytes and blocks its content. From then on, uploads
 * with the same SHA-256 are rejected; existing files with it are taken down too. Only a SHA-256
 * computed by this server counts, so a file without one is read first. If storage can't be read,
 * the `compute-digests` job blocks the content later. That job, or another call, also completes an
 * interrupted takedown. Every owner gets an email. Calls that change something are recorded in the
 * audit log.
 * @throws {AppError} LINK_NOT_FOUND if no file has this link or was reported under it.
 */
export async function takeDown(
  deps: TakedownDeps,
  takedown: TakedownRequest,
): Promise<TakedownResult> {
  const { shortCode } = takedown
  const id = isShortCode(shortCode) ? await findFileToTakeDown(deps.db, shortCode) : undefined
  const endedLink = id && (await endLink(deps, id, takedown))
  if (!endedLink) throw new AppError('LINK_NOT_FOUND', { message: 'No file has this link.' })
  const sha256 = endedLink.sha256 ?? (await proveContentOfEndedLink(deps, endedLink.file, takedown))
  if (sha256 === 'waiting') return { link: endedLink.link, content: 'waiting', copies: 0 }
  if (endedLink.file && endedLink.file.purgedAt === null && endedLink.link !== 'over') {
    await removeStored(deps, [endedLink.file], (ids) => markPurged(deps.db, ids, deps.clock()))
  }
  if (endedLink.size === 0) return { link: endedLink.link, content: 'empty', copies: 0 }
  if (sha256 === null) return { link: endedLink.link, content: 'gone', copies: 0 }
  // Unlike `takeDownCopies`, this job also finds copies whose SHA-256 hasn't been computed yet.
  deps.requestJob('compute-digests')
  return { link: endedLink.link, content: 'blocked', copies: await takeDownCopies(deps, sha256) }
}

interface EndedLink {
  link: TakedownResult['link']
  /** Null if this server hasn't computed it yet. */
  sha256: string | null
  size: number
  /** Undefined if the file's row has been removed. */
  file: ContentRow | undefined
}

/**
 * Ends a file's link, closes its report, queues the email to its owner, and blocks the content if
 * its SHA-256 is known, in one transaction. Returns null if neither the file nor a report on it
 * exists.
 */
function endLink(
  { clock, db, mailQueue }: TakedownDeps,
  id: string,
  { shortCode, reason, actor }: TakedownRequest,
): Promise<EndedLink | null> {
  return db.transaction(async (tx) => {
    const now = clock()
    const file = await lockContent(tx, id)
    const report = await findLastReport(tx, id)
    if (!file && !report) return null
    const takenDownFile = await takeDownFile(tx, id, reason, now)
    const sha256 = (file?.isContentProved ? file.sha256 : report?.provedSha256) ?? null
    const size = file?.size ?? report?.size ?? 0
    const isNewlyBlocked =
      sha256 !== null && (await blockContent(tx, { sha256, size, reason, blockedAt: now }))
    const closedCount = await closeReportsOfFiles(tx, [id], 'taken-down', now)
    const subject = file?.ownerId ?? report?.ownerId ?? null
    if (takenDownFile || isNewlyBlocked || closedCount > 0) {
      const wasLinkOpen = takenDownFile !== undefined && takenDownFile.expiresAt > now
      const details = { shortCode, fileId: id, sha256, reason, linkWasOpen: wasLinkOpen }
      await writeAudit(tx, [adminEntry(actor, now, { action: 'take-down', subject, details })])
    }
    if (takenDownFile) {
      const email = {
        userId: takenDownFile.ownerId,
        fileIds: [id],
        reason,
        takenDownAt: now.toISOString(),
      }
      await mailQueue.add({ kind: 'takedown', ...email }, tx)
    }
    const wasTakenDownBefore = file && file.takenDownAt !== null
    return {
      link: takenDownFile ? 'ended' : wasTakenDownBefore ? 'ended-before' : 'over',
      sha256,
      size,
      file,
    }
  })
}

/**
 * Computes the SHA-256 of a file whose link has ended, and blocks the content. Returns null if no
 * bytes are left, and `waiting` if storage can't be read.
 */
async function proveContentOfEndedLink(
  deps: TakedownDeps,
  file: ContentRow | undefined,
  { reason, actor }: TakedownRequest,
): Promise<string | 'waiting' | null> {
  if (!file || file.purgedAt !== null) return null
  try {
    return await proveContent(deps, file, { reason, actor })
  } catch (error) {
    deps.log.error({ err: error, fileId: file.id }, 'content to be blocked could not be read')
    return 'waiting'
  }
}

/** Describes the result of a takedown to the administrator. */
export function takedownText({ link, content, copies }: TakedownResult): string {
  const otherFiles = copies === 1 ? '1 other file' : `${groupDigits(copies)} other files`
  const contentTexts = {
    blocked: `Its content is blocked${copies > 0 ? `, and ${otherFiles} with it were taken down` : ''}.`,
    waiting: 'Storage cannot be read now. Its content will be blocked as soon as it can.',
    gone: 'No bytes are left to tell its content by, so nothing is blocked.',
    empty: 'It is empty, so no content is blocked and no other file goes with it.',
  }
  return `${linkTexts[link]} ${contentTexts[content]}`
}

const linkTexts = {
  ended: 'The file was taken down.',
  'ended-before': 'The file had been taken down before.',
  over: 'The link had ended before.',
}
