import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { isShortCode } from '../../shared/rules/links/short-code.ts'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Db, Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { markPurged, takeDownFile } from '../files/queries.ts'
import { removeStored } from '../storage/remove-stored.ts'
import { proveContent, takeDownCopies } from './block-copies.ts'
import {
  blockContent,
  type ContentRow,
  endUploadsOfLinks,
  findFilesToTakeDown,
  lockContent,
} from './queries.ts'
import { closeReportsOfFiles, findLastReport } from './report-queries.ts'

type TakedownDeps = Pick<Deps, 'requestJob' | 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

/** An administrator's request to take down a link. */
export interface TakedownRequest {
  shortCode: string
  /** One of the link's files. Without it, all of them are taken down, and the link ends. */
  fileId?: string | undefined
  /** Quoted in the email to the owner. */
  reason: string
  actor: Actor
}

/** The effects of a takedown on the link's files and their content. */
export interface TakedownResult {
  fileCount: number
  /**
   * `ended`: this call took files down. `ended-before`: an earlier takedown did. `over`: the bytes
   * were already deleted or being deleted, because the link had expired or its owner had deleted
   * the files.
   */
  link: (typeof linkOutcomes)[number]
  /**
   * `waiting`: storage can't be read now, so a job will block content later. `blocked`: the content
   * can't be uploaded again. `gone`: the bytes are deleted and their SHA-256 is unknown. `empty`:
   * the files are empty, and empty content is never blocked.
   */
  content: (typeof contentOutcomes)[number]
  /** How many other files with the same content this call took down. */
  copies: number
}

/** For several files, the first of these outcomes is that of the takedown. */
const linkOutcomes = ['ended', 'ended-before', 'over'] as const
const contentOutcomes = ['waiting', 'blocked', 'gone', 'empty'] as const

/**
 * Takes down a link's files: ends the link, deletes the bytes and blocks the content. From then on,
 * uploads with the same SHA-256 are rejected; existing files with it are taken down too. Only a
 * SHA-256 computed by this server counts, so a file without one is read first. If storage can't be
 * read, the `compute-digests` job blocks the content later. That job, or another call, also
 * completes an interrupted takedown. Every owner gets an email. Calls that change something are
 * recorded in the audit log.
 * @throws {AppError} LINK_NOT_FOUND if no file has this link or was reported under it.
 */
export async function takeDown(
  deps: TakedownDeps,
  takedown: TakedownRequest,
): Promise<TakedownResult> {
  const { shortCode, fileId } = takedown
  const ids = isShortCode(shortCode) ? await findFilesToTakeDown(deps.db, shortCode) : []
  const endedFiles = await endFiles(
    deps,
    ids.filter((id) => fileId === undefined || id === fileId),
    takedown,
  )
  if (endedFiles.length === 0) {
    throw new AppError('LINK_NOT_FOUND', { message: 'No file has this link.' })
  }
  const results: TakedownResult[] = []
  for (const endedFile of endedFiles) results.push(await blockEnded(deps, endedFile, takedown))
  return {
    fileCount: results.length,
    link: linkOutcomes.find((outcome) => results.some(({ link }) => link === outcome)) ?? 'over',
    content:
      contentOutcomes.find((outcome) => results.some(({ content }) => content === outcome)) ??
      'empty',
    copies: results.reduce((sum, { copies }) => sum + copies, 0),
  }
}

/** Removes the bytes of a file whose link has ended, and blocks its content. */
async function blockEnded(
  deps: TakedownDeps,
  { file, link, size, ...ended }: EndedFile,
  takedown: TakedownRequest,
): Promise<TakedownResult> {
  const result = { fileCount: 1, link, copies: 0 }
  const sha256 = ended.sha256 ?? (await proveContentOfEndedFile(deps, file, takedown))
  if (sha256 === 'waiting') return { ...result, content: 'waiting' }
  if (file && file.purgedAt === null && link !== 'over') {
    await removeStored(deps, [file], (ids) => markPurged(deps.db, ids, deps.clock()))
  }
  if (size === 0) return { ...result, content: 'empty' }
  if (sha256 === null) return { ...result, content: 'gone' }
  // Unlike `takeDownCopies`, this job also finds copies whose SHA-256 hasn't been computed yet.
  deps.requestJob('compute-digests')
  return { ...result, content: 'blocked', copies: await takeDownCopies(deps, sha256) }
}

interface EndedFile {
  link: TakedownResult['link']
  /** Null if this server hasn't computed it yet. */
  sha256: string | null
  size: number
  /** Undefined if the file's row has been removed. */
  file: ContentRow | undefined
}

/**
 * Takes files down, closes their reports, queues the email to their owner, and blocks the content
 * whose SHA-256 is known, in one transaction. Unless a single file is requested, also ends their
 * links' uploads. Skips ids of which neither a file nor a report exists.
 */
async function endFiles(
  { clock, db, mailQueue }: TakedownDeps,
  ids: readonly string[],
  takedown: TakedownRequest,
): Promise<EndedFile[]> {
  const { fileId, reason } = takedown
  const now = clock()
  return db.transaction(async (tx) => {
    if (fileId === undefined) await endUploadsOfLinks(tx, ids, now)
    const endedFiles: EndedFile[] = []
    for (const id of ids) endedFiles.push(...(await endFile(tx, id, takedown, now)))
    const takenDownFiles = endedFiles.flatMap(({ file, link }) =>
      file && link === 'ended' ? file : [],
    )
    for (const [userId, files] of Map.groupBy(takenDownFiles, ({ ownerId }) => ownerId)) {
      const fileIds = files.map(({ id }) => id)
      const email = { userId, fileIds, reason, takenDownAt: now.toISOString() }
      await mailQueue.add({ kind: 'takedown', ...email }, tx)
    }
    return endedFiles
  })
}

async function endFile(
  tx: Db,
  id: string,
  { shortCode, reason, actor }: TakedownRequest,
  now: Date,
): Promise<EndedFile[]> {
  const file = await lockContent(tx, id)
  const report = await findLastReport(tx, id)
  if (!file && !report) return []
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
  const wasTakenDownBefore = file && file.takenDownAt !== null
  const link = takenDownFile ? 'ended' : wasTakenDownBefore ? 'ended-before' : 'over'
  return [{ link, sha256, size, file }]
}

/**
 * Computes the SHA-256 of a file whose link has ended, and blocks the content. Returns null if no
 * bytes are left, and `waiting` if storage can't be read.
 */
async function proveContentOfEndedFile(
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
export function takedownText({ fileCount, link, content, copies }: TakedownResult): string {
  const [files, its, it] =
    fileCount === 1 ? ['file was', 'Its', 'It is'] : ['files were', 'Their', 'They are']
  const had = fileCount === 1 ? 'file had' : 'files had'
  const linkTexts = {
    ended: `The ${files} taken down.`,
    'ended-before': `The ${had} been taken down before.`,
    over: 'The link had ended before.',
  }
  const otherFiles = copies === 1 ? '1 other file' : `${groupDigits(copies)} other files`
  const contentTexts = {
    blocked: `${its} content is blocked${copies > 0 ? `, and ${otherFiles} with it were taken down` : ''}.`,
    waiting: `Storage cannot be read now. ${its} content will be blocked as soon as it can.`,
    gone: `No bytes are left to tell ${its.toLowerCase()} content by, so nothing is blocked.`,
    empty: `${it} empty, so no content is blocked and no other file goes with ${fileCount === 1 ? 'it' : 'them'}.`,
  }
  return `${linkTexts[link]} ${contentTexts[content]}`
}
