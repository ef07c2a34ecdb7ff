import { formatCount } from '../../../shared/rules/format/numbers.ts'
import { timestampText } from '../../../shared/rules/format/timestamp-text.ts'
import { countOverdue } from '../../files/purge-queries.ts'
import { jobNames } from '../../jobs/job-names.ts'
import { listJobRecords } from '../../jobs/queries.ts'
import { countOverdueRemovals } from '../../uploads/removal-queries.ts'
import { type CheckDeps, type Finding, failing, ok } from './check.ts'
import { jobFinding } from './job-finding.ts'

type JobDeps = Pick<CheckDeps, 'clock' | 'db' | 'startedAt'>

/** Creates a finding for each job, one for overdue deletions, and one for missing bytes. */
export async function checkJobs(deps: JobDeps): Promise<Finding[]> {
  const { clock, db, startedAt } = deps
  const now = clock()
  const [records, overdue] = await Promise.all([listJobRecords(db), checkOverdue(deps)])
  const findings = jobNames.map((name) => {
    const job = records.find((record) => record.name === name)
    const finding = job
      ? jobFinding(job, { now, serverStartedAt: startedAt })
      : failing('It is not scheduled, so it never runs.', 'Restart the server, which schedules it.')
    return { about: name, ...finding }
  })
  const lastComparison = records.find(({ name }) => name === 'compare-storage')?.success
  return [
    ...findings,
    overdue,
    missingBytesFinding(lastComparison ? (lastComparison.result.missing ?? 0) : null),
  ]
}

/**
 * Checks whether any bytes are still stored more than 15 minutes after their deletion was due
 * (design §4, Expire).
 */
async function checkOverdue({ clock, db }: JobDeps): Promise<Finding> {
  const about = 'bytes that should be gone'
  const now = clock()
  const [files, uploads] = await Promise.all([countOverdue(db, now), countOverdueRemovals(db, now)])
  const count = files.count + uploads.count
  if (count === 0) return { about, ...ok('None are left.') }
  const dueTimes = [files.since, uploads.since].filter((time) => time !== null)
  const oldestDueTime = new Date(Math.min(...dueTimes.map((time) => time.getTime())))
  const message = `The bytes of ${formatCount(files.count, 'file')} and ${formatCount(uploads.count, 'upload')} are still in storage, the oldest since ${timestampText(oldestDueTime, now)}. Their links have expired all the same.`
  const remedy =
    'See the checks Storage and Jobs: storage is unreachable or refuses deletions, or no server was running. Deletions are retried automatically, at least every 10 minutes.'
  return { about, ...failing(message, remedy) }
}

/**
 * Reports how many files have lost their bytes, according to the last run of the `compare-storage`
 * job.
 * @param missing null if storage has never been compared with the database.
 */
function missingBytesFinding(missing: number | null): Finding {
  const about = 'files whose bytes are missing'
  if (missing === null) {
    const scheduleNote = 'The job compare-storage does it every night.'
    return { about, ...ok(`Storage has not been compared with the database yet. ${scheduleNote}`) }
  }
  if (missing === 0) return { about, ...ok('None at the last comparison.') }
  const message = `${formatCount(missing, 'file')} ${missing === 1 ? 'has' : 'have'} no bytes in storage: something other than Mayfly deleted them.`
  const remedy =
    'Restore them from a backup under the keys in the log: search it for "the bytes of a file are missing in storage". The next nightly comparison checks again.'
  return { about, ...failing(message, remedy) }
}
