import type { Context } from 'hono'
import type { z } from 'zod'
import type { reportBody } from '../../shared/contract/abuse.ts'
import { utcDay } from '../../shared/rules/format/day.ts'
import { isLinkActive } from '../../shared/rules/links/link-status.ts'
import { isShortCode } from '../../shared/rules/links/short-code.ts'
import type { Deps } from '../deps.ts'
import { emailKey } from '../email/mail-queue.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import type { HttpEnv } from '../http/env.ts'
import { counter } from '../http/rate-limit.ts'
import type { ReadSession } from '../http/session.ts'
import { isVisible } from '../links/unlock.ts'
import { addToReport, findReportableFile, type ReportableFile } from './report-queries.ts'

/**
 * Finds the file behind an active link. Returns null for unknown, expired, private and deleted
 * links and those that aren't shared alike, so clients can't tell them apart (design §4).
 */
export async function findOpenLink(
  { clock, db, readSession }: Pick<Deps, 'clock' | 'db'> & { readSession: ReadSession },
  code: string,
  context: Context<HttpEnv>,
): Promise<ReportableFile | null> {
  const file = isShortCode(code) ? await findReportableFile(db, code) : undefined
  if (!file || !isLinkActive(file, clock())) return null
  return (await isVisible({ readSession }, file, context)) ? file : null
}

/**
 * Adds a visitor's statement to the file's open report and queues an email to support, in one
 * transaction. Queues at most one such email per file and UTC day. If the hidden field `website` is
 * filled in, the statement is marked as probable spam and triggers no email. It is kept because
 * browsers may autofill that field.
 * @throws {AppError} LINK_NOT_FOUND if the link isn't active; TOO_MANY_REQUESTS.
 */
export async function reportLink(
  deps: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'rateLimits'> & { readSession: ReadSession },
  code: string,
  { reason, email, website }: z.output<typeof reportBody>,
  context: Context<HttpEnv>,
): Promise<void> {
  const { clock, db, mailQueue, rateLimits } = deps
  // Reports of inactive links count toward the limit too. Otherwise, short codes could be guessed
  // by reporting them.
  const clientBlock = addressBlock(context.get('clientAddress'))
  await rateLimits.spend([counter('reportsByAddress', clientBlock)])
  const file = await findOpenLink(deps, code, context)
  if (!file) throw new AppError('LINK_NOT_FOUND')
  // The limit is per client and file, because a limit per file alone would let one client block
  // everyone else's reports.
  await rateLimits.spend([counter('reportsByAddressAndFile', `${clientBlock} ${file.id}`)])
  const now = clock()
  const isSuspect = Boolean(website)
  const statement = { at: now.toISOString(), reason, email, isSuspect }
  await db.transaction(async (tx) => {
    await addToReport(tx, file, statement, now)
    if (isSuspect) return
    const key = emailKey(`report of ${file.id} on ${utcDay(now)}`)
    await mailQueue.add({ kind: 'report', fileId: file.id }, tx, { at: now, key })
  })
}
