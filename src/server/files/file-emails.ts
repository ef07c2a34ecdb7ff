import {
  endsSoonMs,
  type FileEmail,
  isFileEmailValid,
} from '../../shared/rules/files/file-emails.ts'
import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import type { Db, Deps } from '../deps.ts'
import { emailToOwner, greetingName, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { fileEmail } from '../email/templates/files.ts'
import {
  claimExpiringLinks,
  type FileEmailRecipient,
  findFileEmailRecipient,
  findFilesOfEmail,
  findOwnersOfExpiringLinks,
  findOwnersOfFirstDownloads,
  takeFirstDownloads,
} from './preference-queries.ts'

type EmailDeps = Pick<Deps, 'clock' | 'db' | 'mailQueue'>

const ownerBatchSize = 100
/** If there are more files, they are split across several emails. */
const maxFilesPerEmail = 1000

/**
 * Queues emails to owners about first downloads, usually one per owner. The transaction that queues
 * an email also removes its files from `first_downloads`, so that each file is reported only once.
 * @returns the number of files in the emails.
 */
export function queueFirstDownloadEmails(deps: EmailDeps): Promise<{ notifiedCount: number }> {
  return forEachOwner(
    (after) => findOwnersOfFirstDownloads(deps.db, after, ownerBatchSize),
    (ownerId) =>
      queueEmails(deps, ownerId, 'first-download', async (tx) => {
        const fileIds = await takeFirstDownloads(tx, ownerId, maxFilesPerEmail)
        // If the owner doesn't want the email, the rows in `first_downloads` are still removed.
        const recipient = await findFileEmailRecipient(tx, ownerId, deps.clock())
        return { fileIds, isWanted: recipient?.mailOnFirstDownload === true }
      }),
  )
}

/**
 * Queues emails to owners about links that expire within a day, usually one per owner. The
 * transaction that queues an email also marks its files, so that each expiry is announced only
 * once.
 * @returns the number of files in the emails.
 */
export function queueExpiryEmails(deps: EmailDeps): Promise<{ notifiedCount: number }> {
  const now = deps.clock()
  const time = { now, until: new Date(now.getTime() + endsSoonMs) }
  return forEachOwner(
    (after) => findOwnersOfExpiringLinks(deps.db, time, after, ownerBatchSize),
    (ownerId) =>
      queueEmails(deps, ownerId, 'link-ends', async (tx) => {
        const fileIds = await claimExpiringLinks(tx, ownerId, time, maxFilesPerEmail)
        return { fileIds, isWanted: true }
      }),
  )
}

/**
 * Queues emails about an owner's files, with up to `maxFilesPerEmail` in each. Returns the number
 * of files.
 */
async function queueEmails(
  { db, mailQueue }: EmailDeps,
  userId: string,
  about: FileEmail,
  takeFiles: (tx: Db) => Promise<{ fileIds: string[]; isWanted: boolean }>,
): Promise<number> {
  let notifiedCount = 0
  for (;;) {
    const { fileIds, isWanted } = await db.transaction(async (tx) => {
      const batch = await takeFiles(tx)
      if (batch.isWanted && batch.fileIds.length > 0) {
        await mailQueue.add({ kind: 'files', userId, about, fileIds: batch.fileIds }, tx)
      }
      return batch
    })
    if (isWanted) notifiedCount += fileIds.length
    if (fileIds.length < maxFilesPerEmail) return notifiedCount
  }
}

/** Calls `queue` for every owner, page by page, and sums the results. */
async function forEachOwner(
  findOwners: (after: string) => Promise<string[]>,
  queue: (ownerId: string) => Promise<number>,
): Promise<{ notifiedCount: number }> {
  let notifiedCount = 0
  let after = ''
  for (;;) {
    const owners = await findOwners(after)
    for (const ownerId of owners) notifiedCount += await queue(ownerId)
    const lastOwner = owners.at(-1)
    if (lastOwner === undefined || owners.length < ownerBatchSize) return { notifiedCount }
    after = lastOwner
  }
}

type FileEmailMessage = Extract<MailRequest, { kind: 'files' }>

const isEmailEnabled: Readonly<Record<FileEmail, (recipient: FileEmailRecipient) => boolean>> = {
  'first-download': (recipient) => recipient.mailOnFirstDownload,
  'link-ends': (recipient) => recipient.mailBeforeExpiry,
}

/**
 * Renders an email about files just before it is sent. Returns null if the user no longer wants it,
 * or it no longer applies to any of the files.
 */
export async function writeFileEmail(
  { clock, config, db }: Pick<Deps, 'clock' | 'config' | 'db'>,
  { userId, about, fileIds }: FileEmailMessage,
): Promise<OutgoingEmail | null> {
  const now = clock()
  const recipient = await findFileEmailRecipient(db, userId, now)
  if (!recipient || !isEmailEnabled[about](recipient)) return null
  const foundFiles = await findFilesOfEmail(db, userId, fileIds)
  const files = foundFiles.filter((file) => isFileEmailValid(about, file, now))
  if (files.length === 0) return null
  const content = fileEmail(about, {
    name: greetingName(recipient),
    // Anyone can sign up with another person's email address, and could use file names to send that
    // person text (see `greetingName`).
    namesFiles: recipient.emailVerified,
    files: files.map(({ originalName, expiresAt }) => ({
      name: originalName,
      endsAt: timestampText(expiresAt),
      isOpen: expiresAt > now,
    })),
    fileManager: `${config.appUrl.origin}/?tab=manager`,
  })
  return emailToOwner(recipient, content)
}
