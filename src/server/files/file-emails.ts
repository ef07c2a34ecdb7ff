import {
  endsSoonMs,
  type FileEmail,
  isFileEmailValid,
} from '../../shared/rules/files/file-emails.ts'
import { momentText } from '../../shared/rules/format/moment-text.ts'
import type { Db, Deps } from '../deps.ts'
import { emailToOwner, nameOf, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { fileEmail } from '../email/templates/files.ts'
import {
  type FileEmailReader,
  findFileEmailReader,
  findFilesOfEmail,
  findOwnersOfEndingLinks,
  findOwnersOfFirstDownloads,
  takeEndingLinks,
  takeFirstDownloads,
} from './preference-queries.ts'

type EmailDeps = Pick<Deps, 'clock' | 'db' | 'mailQueue'>

const ownersAtOnce = 100
/** One email tells about at most this many files. For more files, an owner gets several emails. */
const maxFilesPerEmail = 1000

/**
 * Requests the emails about files that were downloaded for the first time: one email for all such
 * files of an owner. Counting the first download adds the file to a table, and the transaction that
 * requests its email removes it from there. So exactly one email tells of each file, even if a run
 * is interrupted or runs twice.
 * @returns for how many files an email was requested.
 */
export function tellFirstDownloads(deps: EmailDeps): Promise<{ toldCount: number }> {
  return forEachOwner(
    (after) => findOwnersOfFirstDownloads(deps.db, after, ownersAtOnce),
    (ownerId) =>
      queueEmails(deps, ownerId, 'first-download', async (tx) => {
        const fileIds = await takeFirstDownloads(tx, ownerId, maxFilesPerEmail)
        // If the owner no longer wants this email, the rows are removed from `first_downloads`
        // without an email.
        const reader = await findFileEmailReader(tx, ownerId, deps.clock())
        return { fileIds, isWanted: reader?.mailOnFirstDownload === true }
      }),
  )
}

/**
 * Requests the emails about links that end within a day: one email for all such links of an owner.
 * The transaction that requests the email also records, in the file's row, which end of the link
 * the email announces. So the owner gets only one email about each end. A renewed link has another
 * end, and gets another email.
 * @returns for how many files an email was requested.
 */
export function tellEndingLinks(deps: EmailDeps): Promise<{ toldCount: number }> {
  const now = deps.clock()
  const time = { now, until: new Date(now.getTime() + endsSoonMs) }
  return forEachOwner(
    (after) => findOwnersOfEndingLinks(deps.db, time, after, ownersAtOnce),
    (ownerId) =>
      queueEmails(deps, ownerId, 'link-ends', async (tx) => {
        const fileIds = await takeEndingLinks(tx, ownerId, time, maxFilesPerEmail)
        return { fileIds, isWanted: true }
      }),
  )
}

/**
 * Requests emails to an owner until `take` returns fewer files than one email can tell about.
 * Taking files and requesting the email about them happen in one transaction.
 * @returns for how many files an email was requested.
 */
async function queueEmails(
  { db, mailQueue }: EmailDeps,
  userId: string,
  about: FileEmail,
  take: (tx: Db) => Promise<{ fileIds: string[]; isWanted: boolean }>,
): Promise<number> {
  let toldCount = 0
  for (;;) {
    const { fileIds, isWanted } = await db.transaction(async (tx) => {
      const taken = await take(tx)
      if (taken.isWanted && taken.fileIds.length > 0) {
        await mailQueue.add({ kind: 'files', userId, about, fileIds: taken.fileIds }, tx)
      }
      return taken
    })
    if (isWanted) toldCount += fileIds.length
    if (fileIds.length < maxFilesPerEmail) return toldCount
  }
}

/**
 * Calls `tell` for every owner that `find` returns, one page of owners after another. Returns the
 * sum of the results.
 */
async function forEachOwner(
  find: (after: string) => Promise<string[]>,
  tell: (ownerId: string) => Promise<number>,
): Promise<{ toldCount: number }> {
  let toldCount = 0
  let after = ''
  for (;;) {
    const owners = await find(after)
    for (const ownerId of owners) toldCount += await tell(ownerId)
    const last = owners.at(-1)
    if (last === undefined || owners.length < ownersAtOnce) return { toldCount }
    after = last
  }
}

type FileMail = Extract<MailRequest, { kind: 'files' }>

/** Whether the user's settings ask for each email. */
const wants: Readonly<Record<FileEmail, (reader: FileEmailReader) => boolean>> = {
  'first-download': (reader) => reader.mailOnFirstDownload,
  'link-ends': (reader) => reader.mailBeforeExpiry,
}

/**
 * Writes an email about files when it is sent. Returns null if the user no longer wants it, or if
 * it is no longer right about any of the files.
 */
export async function writeFileMail(
  { clock, config, db }: Pick<Deps, 'clock' | 'config' | 'db'>,
  { userId, about, fileIds }: FileMail,
): Promise<OutgoingEmail | null> {
  const now = clock()
  const reader = await findFileEmailReader(db, userId, now)
  if (!reader || !wants[about](reader)) return null
  const found = await findFilesOfEmail(db, userId, fileIds)
  const files = found.filter((file) => isFileEmailValid(about, file, now))
  if (files.length === 0) return null
  const content = fileEmail(about, {
    name: nameOf(reader),
    // If the address is not verified, the account may belong to a stranger. The stranger could send
    // words to the owner of the address in the names of files: see `nameOf`.
    namesFiles: reader.emailVerified,
    files: files.map(({ originalName, expiresAt }) => ({
      name: originalName,
      endsAt: momentText(expiresAt),
      isOpen: expiresAt > now,
    })),
    fileManager: `${config.appUrl.origin}/?tab=manager`,
  })
  return emailToOwner(reader, content)
}
