import { formatSize } from '../../shared/rules/format/file-size.ts'
import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import { dayInMs, minuteInMs } from '../../shared/rules/format/units.ts'
import { requestState } from '../../shared/rules/links/request-state.ts'
import type { Db, Deps } from '../deps.ts'
import { emailToOwner, greetingName, type OutgoingEmail } from '../email/email.ts'
import { emailKey, type MailRequest } from '../email/mail-queue.ts'
import { deliveryEmail, requestReminder } from '../email/templates/requests.ts'
import { readPreferences } from '../files/preference-queries.ts'
import { findUser } from '../tiers/queries.ts'
import { beginDeliveryPeriod, claimForReminder, findRequest, listDeliveries } from './queries.ts'

/** How long deliveries are collected for one email. */
const periodMs = 5 * minuteInMs

/** How long before its end a request without deliveries is announced. */
const reminderMs = dayInMs

const batchSize = 100

/** Queues an email about a request that is receiving a file, unless one is due that reports it. */
export async function queueDeliveryEmail(
  { mailQueue }: Pick<Deps, 'mailQueue'>,
  tx: Db,
  requestId: string,
  now: Date,
): Promise<void> {
  const cutoff = new Date(now.getTime() - periodMs)
  if (!(await beginDeliveryPeriod(tx, requestId, { now, cutoff }))) return
  const since = now.toISOString()
  const key = emailKey(`deliveries to ${requestId} since ${since}`)
  const at = new Date(now.getTime() + periodMs)
  await mailQueue.add({ kind: 'deliveries', requestId, since }, tx, { at, key })
}

/**
 * Queues reminders of requests that close within a day and have received nothing. The transaction
 * that queues a reminder also marks its request.
 * @returns the number of reminders.
 */
export async function queueRequestReminders({
  clock,
  db,
  mailQueue,
}: Pick<Deps, 'clock' | 'db' | 'mailQueue'>): Promise<number> {
  const now = clock()
  const time = { now, until: new Date(now.getTime() + reminderMs) }
  for (let count = 0; ; ) {
    const claimed = await db.transaction(async (tx) => {
      const due = await claimForReminder(tx, time, batchSize)
      for (const { id: requestId, closesAt } of due) {
        await mailQueue.add(
          { kind: 'request-closes', requestId, closesAt: closesAt.toISOString() },
          tx,
        )
      }
      return due
    })
    count += claimed.length
    if (claimed.length < batchSize) return count
  }
}

/**
 * Writes the email about the deliveries of a period. Returns null if the owner doesn't want it, or
 * none of the deliveries is left.
 */
export async function writeDeliveryEmail(
  deps: Pick<Deps, 'config' | 'db'>,
  { requestId, since }: Extract<MailRequest, { kind: 'deliveries' }>,
): Promise<OutgoingEmail | null> {
  const recipient = await findRecipient(deps, requestId)
  if (!recipient) return null
  const from = new Date(since)
  const until = new Date(from.getTime() + periodMs)
  const deliveries = await listDeliveries(deps.db, requestId, { from, until })
  if (deliveries.length === 0) return null
  const content = deliveryEmail({
    ...recipient.details,
    deliveries: deliveries.map(({ size, ...delivery }) => ({
      ...delivery,
      size: formatSize(size),
    })),
  })
  return emailToOwner(recipient.owner, content)
}

/**
 * Writes the reminder of a request that closes soon. Returns null if the owner doesn't want it, the
 * request no longer closes then, or has received something.
 */
export async function writeRequestReminder(
  deps: Pick<Deps, 'clock' | 'config' | 'db'>,
  { requestId, closesAt }: Extract<MailRequest, { kind: 'request-closes' }>,
): Promise<OutgoingEmail | null> {
  const recipient = await findRecipient(deps, requestId)
  if (!recipient) return null
  const { request, receivedCount, owner, details } = recipient
  const now = deps.clock()
  const isStale = request.closesAt.toISOString() !== closesAt
  if (isStale || receivedCount > 0 || requestState(request, now) === 'closed') return null
  const content = requestReminder({ ...details, closesAt: timestampText(request.closesAt) })
  return emailToOwner(owner, content)
}

/** Finds a request and its owner, if the owner wants emails about requests. */
async function findRecipient({ config, db }: Pick<Deps, 'config' | 'db'>, requestId: string) {
  const row = await findRequest(db, requestId)
  const owner = row && (await findUser(db, row.request.ownerId))
  if (!owner || !(await readPreferences(db, owner.id)).mailOnDelivery) return null
  const details = {
    name: greetingName(owner),
    // If the address is unverified, a stranger may have chosen the title.
    title: owner.emailVerified ? row.request.title : null,
    requestsPage: `${config.appUrl.origin}/?tab=requests`,
  }
  return { ...row, owner, details }
}
