import type { z } from 'zod'
import type { reportBody } from '../../shared/contract/abuse.ts'
import { dayOf } from '../../shared/rules/format/day.ts'
import { opens } from '../../shared/rules/links/link-status.ts'
import { isShortCode } from '../../shared/rules/links/short-code.ts'
import type { Deps } from '../deps.ts'
import { emailKey } from '../email/mail-queue.ts'
import { AppError } from '../errors.ts'
import { addressBlock } from '../http/client-address.ts'
import { counter } from '../http/rate-limit.ts'
import { addToReport, findReportable, type Reportable } from './report-queries.ts'

/**
 * Finds the file behind a link that opens now. Returns null for unknown, expired, private and
 * deleted links alike, so that nobody can tell them apart (design §4).
 */
export async function findOpenLink(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  code: string,
): Promise<Reportable | null> {
  const file = isShortCode(code) ? await findReportable(db, code) : undefined
  return file && opens(file, clock()) ? file : null
}

/**
 * Adds a visitor's statement to the open report of the file behind a link, and requests the email
 * that tells support of it, at most one for a file and day (UTC). One transaction does both, so
 * that neither is lost. If the hidden field `website` is filled in, a robot has probably sent the
 * statement. It is kept with a mark and without an email, because a browser may have filled in the
 * field by itself.
 * @throws {AppError} LINK_NOT_FOUND when the link does not open; TOO_MANY_REQUESTS.
 */
export async function reportLink(
  deps: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'rateLimits'>,
  code: string,
  { reason, email, website }: z.output<typeof reportBody>,
  clientAddress: string,
): Promise<void> {
  const { clock, db, mailQueue, rateLimits } = deps
  // This limit also counts reports of links that do not open. Otherwise somebody could guess short
  // codes with this call.
  const client = addressBlock(clientAddress)
  await rateLimits.spend([counter('reportsByAddress', client)])
  const file = await findOpenLink(deps, code)
  if (!file) throw new AppError('LINK_NOT_FOUND')
  // There is no limit for a file: whoever reached it would silence everybody else. One client adds
  // few of the texts that a report keeps.
  await rateLimits.spend([counter('reportsByAddressAndFile', `${client} ${file.id}`)])
  const now = clock()
  const isSuspect = Boolean(website)
  const statement = { at: now.toISOString(), reason, email, isSuspect }
  await db.transaction(async (tx) => {
    await addToReport(tx, file, statement, now)
    if (isSuspect) return
    const key = emailKey(`report of ${file.id} on ${dayOf(now)}`)
    await mailQueue.add({ kind: 'report', fileId: file.id }, tx, { at: now, key })
  })
}
