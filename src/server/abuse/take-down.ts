import { groupedDigits } from '../../shared/rules/format/numbers.ts'
import { isShortCode } from '../../shared/rules/links/short-code.ts'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { markPurged, takeDownFile } from '../files/queries.ts'
import { removeStored } from '../storage/remove-stored.ts'
import { proveContent, takeDownCopies } from './block-copies.ts'
import { blockContent, type Content, findFileToTakeDown, lockContent } from './queries.ts'
import { closeReportsOf, findLastReport } from './report-queries.ts'

type TakedownDeps = Pick<Deps, 'askForJob' | 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/** Which link the administrator takes down, and why. */
export interface TakedownOrder {
  shortCode: string
  /** The email to the owner contains this reason. */
  reason: string
  actor: Actor
}

/** What a takedown did to the link and to the content of the file. */
export interface TakedownResult {
  /**
   * `ended`: this call has taken the file down. `ended-before`: an earlier takedown had. `over`:
   * the bytes were gone or being removed before, because the file had expired or its owner had
   * deleted it.
   */
  link: 'ended' | 'ended-before' | 'over'
  /**
   * `blocked`: nobody can upload the content any more. `waiting`: storage cannot be read now; a
   * job blocks the content later. `gone`: no bytes are left, and their SHA-256 is unknown. `empty`:
   * the content of an empty file is not blocked.
   */
  content: 'blocked' | 'waiting' | 'gone' | 'empty'
  /** How many other files with the same content this call has taken down. */
  copies: number
}

/**
 * Takes a file down. Its link ends at once, its bytes are removed, and its content is blocked:
 * uploads with the same SHA-256 are refused, and other files with it are taken down too. Only a
 * SHA-256 that this server has computed counts, so for a file without one the bytes are read first.
 * The job `compute-digests` compares files whose SHA-256 is not known yet, and completes an
 * interrupted takedown. Every owner gets an email. A second takedown completes the first one. Each
 * call that changes something leaves a line in the audit log.
 * @throws {AppError} LINK_NOT_FOUND when no file has this link, and no file was reported under it.
 */
export async function takeDown(
  deps: TakedownDeps,
  takedown: TakedownOrder,
): Promise<TakedownResult> {
  const { shortCode } = takedown
  const id = isShortCode(shortCode) ? await findFileToTakeDown(deps.db, shortCode) : undefined
  const found = id && (await endLink(deps, id, takedown))
  if (!found) throw new AppError('LINK_NOT_FOUND', { message: 'No file has this link.' })
  const sha256 = found.sha256 ?? (await proveEnded(deps, found.file, takedown))
  if (sha256 === 'waiting') return { link: found.link, content: 'waiting', copies: 0 }
  if (found.file && found.file.purgedAt === null && found.link !== 'over') {
    await removeStored(deps, [found.file], (ids) => markPurged(deps.db, ids, deps.clock()))
  }
  if (found.size === 0) return { link: found.link, content: 'empty', copies: 0 }
  if (sha256 === null) return { link: found.link, content: 'gone', copies: 0 }
  // Other files may have the same content, and this server has not computed their SHA-256 yet.
  deps.askForJob('compute-digests')
  return { link: found.link, content: 'blocked', copies: await takeDownCopies(deps, sha256) }
}

interface Ended {
  link: TakedownResult['link']
  /** What is blocked, unless the file is empty. null if this server has not computed it yet. */
  sha256: string | null
  size: number
  /** Undefined if the file's row was removed. */
  file: Content | undefined
}

/**
 * Ends the link of a file, closes its report, and asks for the email to its owner. Blocks the
 * content if its SHA-256 is known. One transaction does all of it. Returns null when neither the
 * file nor a report of it exists.
 */
function endLink(
  { clock, db, mailQueue }: TakedownDeps,
  id: string,
  { shortCode, reason, actor }: TakedownOrder,
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
    const closed = await closeReportsOf(tx, [id], 'taken-down', now)
    const subject = file?.ownerId ?? report?.ownerId ?? null
    // Without any of these the call has changed nothing, so there is nothing to record.
    if (taken || isNew || closed > 0) {
      const linkWasOpen = taken !== undefined && taken.expiresAt > now
      const details = { shortCode, fileId: id, sha256, reason, linkWasOpen }
      await writeAudit(tx, [adminEntry(actor, now, { action: 'take-down', subject, details })])
    }
    if (taken) {
      const mail = { userId: taken.ownerId, fileIds: [id], reason, takenDownAt: now.toISOString() }
      await mailQueue.add({ kind: 'takedown', ...mail }, tx)
    }
    const endedBefore = file && file.takenDownAt !== null
    return { link: taken ? 'ended' : endedBefore ? 'ended-before' : 'over', sha256, size, file }
  })
}

/**
 * Computes the SHA-256 of a file whose link has ended, and blocks the content. Returns null when no
 * bytes are left, and `waiting` when storage cannot be read.
 */
async function proveEnded(
  deps: TakedownDeps,
  file: Content | undefined,
  { reason, actor }: TakedownOrder,
): Promise<string | 'waiting' | null> {
  if (!file || file.purgedAt !== null) return null
  try {
    return await proveContent(deps, file, { reason, actor })
  } catch (error) {
    deps.log.error({ err: error, fileId: file.id }, 'content to be blocked could not be read')
    return 'waiting'
  }
}

/** Tells the administrator in words what a takedown did. */
export function takedownText({ link, content, copies }: TakedownResult): string {
  const others = copies === 1 ? '1 other file' : `${groupedDigits(copies)} other files`
  const blocked = {
    blocked: `Its content is blocked${copies > 0 ? `, and ${others} with it were taken down` : ''}.`,
    waiting: 'Storage cannot be read now. Its content will be blocked as soon as it can.',
    gone: 'No bytes are left to tell its content by, so nothing is blocked.',
    empty: 'It is empty, so no content is blocked and no other file goes with it.',
  }
  return `${linkTexts[link]} ${blocked[content]}`
}

const linkTexts = {
  ended: 'The file was taken down.',
  'ended-before': 'The file had been taken down before.',
  over: 'The link had ended before.',
}
