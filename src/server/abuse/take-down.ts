import { isShortCode } from '../../shared/rules/short-code.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { takeDownFile } from '../files/queries.ts'
import { proveContent, takeDownCopies } from './block-copies.ts'
import {
  blockContent,
  type Content,
  closeReportsOf,
  findFileToTakeDown,
  findLastReport,
  lockContent,
} from './queries.ts'

type TakedownDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/** Which link the administrator takes down, and why. */
export interface Takedown {
  shortCode: string
  /** The owner reads it. */
  reason: string
  actor: { id: string; ipAddress: string }
}

/** What became of the file and of its content. */
export interface TakedownResult {
  /**
   * `ended`: this call has ended the link. `ended-before`: another takedown had. `over`: the link had
   * ended by itself, by its owner or by its date.
   */
  link: 'ended' | 'ended-before' | 'over'
  /**
   * `blocked`: nobody can upload it any more. `waiting`: storage cannot be read now, and the job
   * blocks the content when it can. `gone`: no bytes are left, and nobody knows their SHA-256.
   */
  content: 'blocked' | 'waiting' | 'gone'
  /** How many other files with the same content this call has taken down. */
  copies: number
}

/**
 * Takes a file down: its link ends at once, its bytes are removed, and its content is blocked. So no
 * upload with the same SHA-256 becomes a file any more, and other files with it are taken down too.
 * Only a SHA-256 that this server has computed itself counts. In a bucket the server reads the bytes
 * for that, after the link has ended. What is interrupted is completed by `findBlockedContent`. The
 * owners are told by mail. A second takedown of the same file changes nothing, but completes the
 * first one.
 * @throws {AppError} LINK_NOT_FOUND when no file has this link, nor was reported under it.
 */
export async function takeDown(deps: TakedownDeps, takedown: Takedown): Promise<TakedownResult> {
  const { shortCode } = takedown
  const id = isShortCode(shortCode) ? await findFileToTakeDown(deps.db, shortCode) : undefined
  const found = id && (await endLink(deps, id, takedown))
  if (!found) throw new AppError('LINK_NOT_FOUND', { message: 'No file has this link.' })
  const sha256 = found.sha256 ?? (await proveEnded(deps, found.file, takedown.reason))
  if (sha256 === 'waiting') return { link: found.link, content: 'waiting', copies: 0 }
  if (sha256 === null) return { link: found.link, content: 'gone', copies: 0 }
  return { link: found.link, content: 'blocked', copies: await takeDownCopies(deps, sha256) }
}

interface Ended {
  link: TakedownResult['link']
  /** The SHA-256 that is blocked; null if this server has not computed it yet. */
  sha256: string | null
  /** Undefined if the row was removed. */
  file: Content | undefined
}

/**
 * Ends the link of a file, closes its report, blocks its content if that is known, and asks for the
 * mail to its owner, all in one transaction. Returns null when nothing is known of the file.
 */
function endLink(
  { clock, db, mailQueue }: TakedownDeps,
  id: string,
  { shortCode, reason, actor }: Takedown,
): Promise<Ended | null> {
  return db.transaction(async (tx) => {
    const now = clock()
    const file = await lockContent(tx, id)
    const report = await findLastReport(tx, id)
    if (!file && !report) return null
    const taken = await takeDownFile(tx, id, reason, now)
    const sha256 = (file?.isContentProved ? file.sha256 : report?.provedSha256) ?? null
    const size = file?.size ?? report?.size ?? 0
    const isNew =
      sha256 !== null && (await blockContent(tx, { sha256, size, reason, blockedAt: now }))
    await closeReportsOf(tx, [id], 'taken-down', now)
    const subject = file?.ownerId ?? report?.ownerId ?? null
    if (taken || isNew) {
      const details = { shortCode, fileId: id, sha256, reason, linkWasOpen: taken !== undefined }
      const { id: by, ipAddress } = actor
      await writeAudit(tx, [
        { at: now, actor: by, action: 'take-down', subject, ipAddress, details },
      ])
    }
    if (taken) {
      const mail = { userId: taken.ownerId, fileIds: [id], reason, takenDownAt: now.toISOString() }
      await mailQueue.add({ kind: 'takedown', ...mail }, tx)
    }
    const endedBefore = file && file.takenDownAt !== null
    return { link: taken ? 'ended' : endedBefore ? 'ended-before' : 'over', sha256, file }
  })
}

/**
 * Computes the SHA-256 of a file whose link has ended, and blocks it. Returns null when no bytes are
 * left.
 */
async function proveEnded(
  deps: TakedownDeps,
  file: Content | undefined,
  reason: string,
): Promise<string | 'waiting' | null> {
  if (!file || file.purgedAt !== null) return null
  try {
    return await proveContent(deps, file, reason)
  } catch (error) {
    deps.log.error({ err: error, fileId: file.id }, 'content to be blocked could not be read')
    return 'waiting'
  }
}

/** Says to the administrator what a takedown did. */
export function takedownText({ link, content, copies }: TakedownResult): string {
  const others = copies === 1 ? '1 other file' : `${copies.toLocaleString('en')} other files`
  const blocked = {
    blocked: `Its content is blocked${copies > 0 ? `, and ${others} with it were taken down` : ''}.`,
    waiting: 'Storage cannot be read now. Its content will be blocked as soon as it can.',
    gone: 'No bytes are left to tell its content by, so nothing is blocked.',
  }
  return `${linkTexts[link]} ${blocked[content]}`
}

const linkTexts = {
  ended: 'The file was taken down.',
  'ended-before': 'The file had been taken down before.',
  over: 'The link had ended before.',
}
