import { CronExpressionParser } from 'cron-parser'
import { timestampText } from '../../../shared/rules/format/timestamp-text.ts'
import { minuteInMs } from '../../../shared/rules/format/units.ts'
import type { JobRecord } from '../../jobs/queries.ts'
import { type Finding, failing, ok, shortenReason, warning } from './check.ts'
import { spanText } from './span-text.ts'

/**
 * A job counts as failing after this many consecutive failures. The queue retries a failed run
 * twice, so three failures suggest a persistent cause.
 */
const failingThreshold = 3
/**
 * A job is overdue once two intervals plus this grace period have passed since its last run, or
 * since it was scheduled if it has never run.
 */
const graceMs = 15 * minuteInMs

/**
 * A run recorded further in the future than this means that a clock was wrong. Smaller differences
 * between server clocks are normal.
 */
const maxClockSkewMs = minuteInMs

const figureLabels: Record<string, string> = {
  purged: 'files deleted from storage',
  failed: 'failed (will be retried)',
  overdue: 'overdue',
  expiredCount: 'trials ended',
  notifiedCount: 'files announced by email',
  ended: 'idle uploads ended',
  removed: 'removed',
  computed: 'files hashed',
  takenDown: 'files taken down',
  missing: 'files missing in storage',
  objects: 'objects compared',
  names: 'file names deleted',
  reports: 'closed reports removed',
  feedback: 'feedback entries removed',
}

interface CheckTimes {
  now: Date
  /**
   * When this server started. Jobs may be late for a while after that, because there may have been
   * no server running to start them.
   */
  serverStartedAt: Date
}

/** Creates the finding for a job. Its message states the last run, the result and the next run. */
export function jobFinding(job: JobRecord, { now, serverStartedAt }: CheckTimes): Finding {
  const { intervalMs, next } = parseSchedule(job.cron, now)
  const lastRunText = describeLastRun(job, now)
  const nextRunText = `Next run: ${timestampText(next, now)}.`
  const newestRunAt = latestRunMs(job)
  if (!job.runningSince && newestRunAt > now.getTime() + maxClockSkewMs) {
    return failing(
      `Its last run is recorded for ${timestampText(new Date(newestRunAt), now)}, in the future: a clock was ahead then, or is behind now. ${nextRunText}`,
      'See the check Clock. If the clocks are right now, the next run clears this.',
    )
  }
  if (isOverdue(job, now, intervalMs) && now.getTime() - serverStartedAt.getTime() > graceMs) {
    return failing(
      `It should run every ${spanText(intervalMs)} and does not. ${lastRunText} ${nextRunText}`,
      'Restart the server and keep it running at the time of the next run. If the job still does not run, search the log for "the job queue failed" and "job failed".',
    )
  }
  if (job.failure) {
    const { at, reason, consecutiveFailures } = job.failure
    const failureText =
      consecutiveFailures === 1
        ? 'The last run failed'
        : `The last ${consecutiveFailures} runs failed`
    const message = `${failureText}, the newest on ${timestampText(at, now)}: ${shortenReason(reason)}. ${lastRunText} ${nextRunText}`
    const remedy =
      'Fix the cause above; other checks may say more. The job is retried automatically. For details, search the log for "job failed".'
    return consecutiveFailures < failingThreshold
      ? warning(message, remedy)
      : failing(message, remedy)
  }
  const runningText = job.runningSince
    ? ` Running since ${timestampText(job.runningSince, now)}.`
    : ''
  return ok(`${lastRunText}${runningText} ${nextRunText}`)
}

/** Returns the interval of a cron schedule and the time of its next run, in UTC. */
function parseSchedule(cron: string, now: Date): { intervalMs: number; next: Date } {
  const schedule = CronExpressionParser.parse(cron, { currentDate: now, tz: 'UTC' })
  const nextRunAt = schedule.next().toDate()
  return { intervalMs: schedule.next().toDate().getTime() - nextRunAt.getTime(), next: nextRunAt }
}

/**
 * True if a job has missed two runs. A failed run counts as a run, and a job that is running isn't
 * overdue.
 */
function isOverdue(job: JobRecord, now: Date, intervalMs: number) {
  if (job.runningSince) return false
  const lastActiveAt = Math.max(job.scheduledAt.getTime(), latestRunMs(job))
  return now.getTime() - lastActiveAt > 2 * intervalMs + graceMs
}

/**
 * Returns when the newest recorded run happened, in Unix milliseconds, or 0 if none is recorded.
 */
function latestRunMs({ success, failure }: JobRecord): number {
  return Math.max(success?.startedAt.getTime() ?? 0, failure?.at.getTime() ?? 0)
}

function describeLastRun({ success, failure, runningSince }: JobRecord, now: Date): string {
  if (!success && failure) return 'It has not succeeded yet.'
  if (!success) return runningSince ? 'No run has finished yet.' : 'It has not run yet.'
  const resultTexts = Object.entries(success.result).map(
    ([figure, count]) => `${count} ${figureLabels[figure] ?? figure}`,
  )
  const resultText = resultTexts.length > 0 ? `: ${resultTexts.join(', ')}` : ''
  return `Last success: ${timestampText(success.startedAt, now)}${resultText}.`
}
