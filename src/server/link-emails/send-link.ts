import { tierErrorText } from '../../shared/contract/tier-errors.ts'
import {
  findSendingTime,
  maxRecipientsPerDay,
  recipientWindowMs,
} from '../../shared/rules/links/link-emails.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { effectiveTier } from '../../shared/rules/tiers/trial.ts'
import type { Deps } from '../deps.ts'
import { emailKey } from '../email/mail-queue.ts'
import { AppError } from '../errors.ts'
import { lockActiveLink } from '../links/queries.ts'
import { lockUser } from '../tiers/queries.ts'
import { insertLinkEmails, listSendingTimes } from './queries.ts'

/**
 * Queues one email for each address that wasn't sent this link before. Whether an address has opted
 * out is decided by the job, so that the sender doesn't learn it.
 * @param to addresses, in any case and possibly repeated.
 * @returns how many emails were queued.
 * @throws {AppError} SENDING_OFF, TIER_SEND_BY_EMAIL, EMAIL_NOT_VERIFIED, LINK_NOT_FOUND for a link
 * that isn't active, LINK_NOT_SHARED, or TOO_MANY_REQUESTS if the addresses exceed the daily limit.
 */
export async function sendLink(
  { clock, db, mailQueue, settings }: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'settings'>,
  ownerId: string,
  shortCode: string,
  { to, message = null }: { to: readonly string[]; message?: string | null | undefined },
): Promise<number> {
  const { send_by_email: setting } = await settings.read()
  if (setting === 'off') throw new AppError('SENDING_OFF')
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, ownerId)
    if (!owner) throw new AppError('UNAUTHORIZED')
    const now = clock()
    const tier = effectiveTier(owner, now)
    if (!tierTraits[tier].sendsLinks) {
      const code = 'TIER_SEND_BY_EMAIL'
      throw new AppError(code, { message: tierErrorText(tier, code) })
    }
    // Otherwise anyone could write in the name of somebody else, who would get the replies.
    if (!owner.emailVerified) throw new AppError('EMAIL_NOT_VERIFIED')
    const { link } = await lockActiveLink(tx, ownerId, shortCode, now)
    if (!link.shared) throw new AppError('LINK_NOT_SHARED')
    const dayBefore = new Date(now.getTime() - recipientWindowMs)
    const sendingTimes = await listSendingTimes(tx, ownerId, dayBefore)
    const addresses = [...new Set(to.map((address) => address.toLowerCase()))]
    const ids = await insertLinkEmails(
      tx,
      addresses.map((email) => ({
        id: emailKey(`link ${shortCode} to ${email}`),
        ownerId,
        linkId: link.id,
        email,
        message,
        createdAt: now,
      })),
    )
    const nextTime = findSendingTime(sendingTimes, ids.length)
    if (nextTime) throw createLimitError(nextTime, now)
    for (const id of ids)
      await mailQueue.add({ kind: 'shared-link', emailId: id }, tx, { at: now, key: id })
    return ids.length
  })
}

function createLimitError(nextTime: Date, now: Date): AppError {
  const seconds = Math.ceil((nextTime.getTime() - now.getTime()) / 1000)
  return new AppError('TOO_MANY_REQUESTS', {
    message: `You can send links to ${maxRecipientsPerDay} people a day. Please try again later.`,
    headers: { 'retry-after': String(seconds) },
  })
}
