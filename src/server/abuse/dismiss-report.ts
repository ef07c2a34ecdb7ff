import { z } from 'zod'
import { type Actor, adminEntry, writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { closeReport, countOpenReports } from './report-queries.ts'

const reportId = z.uuid()

/**
 * Closes a report without changing the file. If the file is reported again, a new report is opened.
 * @returns the number of reports that are still open.
 * @throws {AppError} REPORT_NOT_FOUND if no open report has this id.
 */
export async function dismissReport(
  { clock, db }: Pick<Deps, 'clock' | 'db'>,
  id: string,
  actor: Actor,
): Promise<number> {
  if (!reportId.safeParse(id).success) throw new AppError('REPORT_NOT_FOUND')
  await db.transaction(async (tx) => {
    const now = clock()
    const closedReport = await closeReport(tx, id, 'dismissed', now)
    if (!closedReport) throw new AppError('REPORT_NOT_FOUND')
    const { fileId, ownerId: subject, shortCode, count } = closedReport
    const details = { reportId: id, fileId, shortCode, count }
    await writeAudit(tx, [adminEntry(actor, now, { action: 'dismiss-report', subject, details })])
  })
  return (await countOpenReports(db)).count
}
