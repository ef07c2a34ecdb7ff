import { groupDigits } from '../../../shared/rules/format/numbers.ts'
import { timestampText } from '../../../shared/rules/format/timestamp-text.ts'
import { dayInMs } from '../../../shared/rules/format/units.ts'
import { countOpenReports } from '../../abuse/report-queries.ts'
import { type CheckDeps, type Finding, ok, warning } from './check.ts'

const maxWaitMs = 2 * dayInMs

/**
 * Reports the number and age of open abuse reports. Warns if one has been open for over two days.
 */
export async function checkReports({
  clock,
  db,
}: Pick<CheckDeps, 'clock' | 'db'>): Promise<Finding[]> {
  const now = clock()
  const { count, since } = await countOpenReports(db)
  if (since === null) return [ok('None is open.')]
  const message = `${groupDigits(count)} open, the oldest since ${timestampText(since, now)}.`
  if (now.getTime() - since.getTime() < maxWaitMs) return [ok(message)]
  const remedy =
    'Review each under Reports in the Admin Center: take the file down, or dismiss the report. The link works until then.'
  return [warning(message, remedy)]
}
