import {
  endsSoonMs,
  type FileEmail,
  isFileEmailValid,
} from '../../shared/rules/files/file-emails.ts'
import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import { linkName } from '../../shared/rules/links/link-status.ts'
import type { Db, Deps } from '../deps.ts'
import { emailToOwner, greetingName, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { fileEmail } from '../email/templates/files.ts'
import {
  claimExpiringLinks,
  type FileEmailRecipient,
  findFileEmailRecipient,
  findLinksOfEmail,
  findOwnersOfExpiringLinks,
  findOwnersOfFirstDownloads,
  takeFirstDownloads,
} from './preference-queries.ts'

type EmailDeps = Pick<Deps, 'clock' | 'db' | 'mailQueue'>

const ownerBatchSize = 100
/** If there are more links, they are split across several emails. */
const maxLinksPerEmail = 1000

/**
 * Queues emails to owners about first downloads, usually one per owner. The transaction that queues
 * an email also removes its links from `first_downloads`, so that each link is reported only once.
 * @returns the number of links in the emails.
 */
export function queueFirstDownloadEmails(deps: EmailDeps): Promise<{ notifiedCount: number }> {
  return forEachOwner(
    (after) => findOwnersOfFirstDownloads(deps.db, after, ownerBatchSize),
    (ownerId) =>
      queueEmails(deps, ownerId, 'first-download', async (tx) => {
        const linkIds = await takeFirstDownloads(tx, ownerId, maxLinksPerEmail)
        // If the owner doesn't want the email, the rows in `first_downloads` are still removed.
        const recipient = await findFileEmailRecipient(tx, ownerId, deps.clock())
        return { linkIds, isWanted: recipient?.mailOnFirstDownload === true }
      }),
  )
}

/**
 * Queues emails to owners about links that expire within a day, usually one per owner. The
 * transaction that queues an email also marks its links, so that each expiry is announced only
 * once.
 * @returns the number of links in the emails.
 */
export function queueExpiryEmails(deps: EmailDeps): Promise<{ notifiedCount: number }> {
  const now = deps.clock()
  const time = { now, until: new Date(now.getTime() + endsSoonMs) }
  return forEachOwner(
    (after) => findOwnersOfExpiringLinks(deps.db, time, after, ownerBatchSize),
    (ownerId) =>
      queueEmails(deps, ownerId, 'link-ends', async (tx) => {
        const linkIds = await claimExpiringLinks(tx, ownerId, time, maxLinksPerEmail)
        return { linkIds, isWanted: true }
      }),
  )
}

/**
 * Queues emails about an owner's links, with up to `maxLinksPerEmail` in each. Returns the number
 * of links.
 */
async function queueEmails(
  { db, mailQueue }: EmailDeps,
  userId: string,
  about: FileEmail,
  takeLinks: (tx: Db) => Promise<{ linkIds: string[]; isWanted: boolean }>,
): Promise<number> {
  let notifiedCount = 0
  for (;;) {
    const { linkIds, isWanted } = await db.transaction(async (tx) => {
      const batch = await takeLinks(tx)
      if (batch.isWanted && batch.linkIds.length > 0) {
        await mailQueue.add({ kind: 'links', userId, about, linkIds: batch.linkIds }, tx)
      }
      return batch
    })
    if (isWanted) notifiedCount += linkIds.length
    if (linkIds.length < maxLinksPerEmail) return notifiedCount
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

type FileEmailMessage = Extract<MailRequest, { kind: 'links' }>

const isEmailEnabled: Readonly<Record<FileEmail, (recipient: FileEmailRecipient) => boolean>> = {
  'first-download': (recipient) => recipient.mailOnFirstDownload,
  'link-ends': (recipient) => recipient.mailBeforeExpiry,
}

/**
 * Renders an email about links just before it is sent. Returns null if the user no longer wants it,
 * or it no longer applies to any of the links.
 */
export async function writeFileEmail(
  { clock, config, db }: Pick<Deps, 'clock' | 'config' | 'db'>,
  { userId, about, linkIds }: FileEmailMessage,
): Promise<OutgoingEmail | null> {
  const now = clock()
  const recipient = await findFileEmailRecipient(db, userId, now)
  if (!recipient || !isEmailEnabled[about](recipient)) return null
  const foundLinks = await findLinksOfEmail(db, userId, linkIds)
  const links = foundLinks.filter((link) => isFileEmailValid(about, link, now))
  if (links.length === 0) return null
  const content = fileEmail(about, {
    name: greetingName(recipient),
    // Anyone can sign up with another person's email address, and could use file names to send that
    // person text (see `greetingName`).
    namesFiles: recipient.emailVerified,
    links: links.map((link) => ({
      name: linkName(link),
      endsAt: timestampText(link.expiresAt),
      isOpen: link.expiresAt > now,
    })),
    fileManager: `${config.appUrl.origin}/?tab=manager`,
  })
  return emailToOwner(recipient, content)
}
