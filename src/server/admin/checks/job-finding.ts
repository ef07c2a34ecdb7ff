import { CronExpressionParser } from 'cron-parser'
import { momentText } from '../../../shared/rules/format/moment-text.ts'
import { minuteInMs } from '../../../shared/rules/format/units.ts'
import { type Finding, failing, ok, shortReason, warning } from './check.ts'
import type { JobFacts } from './queries.ts'
import { spanText } from './span-text.ts'

/**
 * After this many consecutive failures, the check reports a job as failing. The queue retries a
 * failed run twice, so three failures show that the cause has lasted for a while.
 */
const seriousFailures = 3
/** A job is overdue when it has missed two runs and this many milliseconds have passed since. */
const graceMs = 15 * minuteInMs

/**
 * A run that is noted this much later than now was noted by a wrong clock. The clocks of several
 * servers may differ by less.
 */
const aheadMs = minuteInMs

/** What the figures of the jobs count, in words. */
const figureTexts: Record<string, string> = {
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

interface Moments {
  now: Date
  /**
   * When this server was started. Perhaps no server ran before, so a job may be late for a while.
   */
  serverStartedAt: Date
}

/**
 * Returns the finding about one job: when it ran last, when it runs next, what it did, and whether
 * all is well.
 */
export function findingOfJob(job: JobFacts, { now, serverStartedAt }: Moments): Finding {
  const { intervalMs, next } = turnsOf(job.cron, now)
  const last = lastRun(job, now)
  const nextRun = `Next run: ${momentText(next, now)}.`
  const newest = newestRun(job)
  if (!job.runsSince && newest > now.getTime() + aheadMs) {
    return failing(
      `Its last run is recorded for ${momentText(new Date(newest), now)}, in the future: a clock was ahead then, or is behind now. ${nextRun}`,
      'See the check Clock. If the clocks are right now, the next run clears this.',
    )
  }
  if (isOverdue(job, now, intervalMs) && now.getTime() - serverStartedAt.getTime() > graceMs) {
    return failing(
      `It should run every ${spanText(intervalMs)} and does not. ${last} ${nextRun}`,
      'Restart the server and keep it running at the time of the next run. If the job still does not run, search the log for "the job queue failed" and "job failed".',
    )
  }
  if (job.failure) {
    const { at, reason, inARow } = job.failure
    const times = inARow === 1 ? 'The last run failed' : `The last ${inARow} runs failed`
    const message = `${times}, the newest on ${momentText(at, now)}: ${shortReason(reason)}. ${last} ${nextRun}`
    const remedy =
      'Fix the cause above; other checks may say more. The job is retried automatically. For details, search the log for "job failed".'
    return inARow < seriousFailures ? warning(message, remedy) : failing(message, remedy)
  }
  const runs = job.runsSince ? ` Running since ${momentText(job.runsSince, now)}.` : ''
  return ok(`${last}${runs} ${nextRun}`)
}

/**
 * Returns the time between two runs of a job, and the moment of its next run. Schedules are in UTC.
 */
function turnsOf(cron: string, now: Date): { intervalMs: number; next: Date } {
  const turns = CronExpressionParser.parse(cron, { currentDate: now, tz: 'UTC' })
  const next = turns.next().toDate()
  return { intervalMs: turns.next().toDate().getTime() - next.getTime(), next }
}

/**
 * Tells whether a job has missed two runs. A run that failed is not a missed run. A job that is
 * running now is not overdue.
 */
function isOverdue(job: JobFacts, now: Date, intervalMs: number) {
  if (job.runsSince) return false
  const began = Math.max(job.scheduledAt.getTime(), newestRun(job))
  return now.getTime() - began > 2 * intervalMs + graceMs
}

/** Returns when the newest run that is noted took place, in milliseconds; 0 if there was none. */
function newestRun({ success, failure }: JobFacts): number {
  return Math.max(success?.startedAt.getTime() ?? 0, failure?.at.getTime() ?? 0)
}

function lastRun({ success, failure, runsSince }: JobFacts, now: Date): string {
  if (!success && failure) return 'It has not succeeded yet.'
  if (!success) return runsSince ? 'No run has finished yet.' : 'It has not run yet.'
  const did = Object.entries(success.result).map(
    ([figure, count]) => `${count} ${figureTexts[figure] ?? figure}`,
  )
  const figures = did.length > 0 ? `: ${did.join(', ')}` : ''
  return `Last success: ${momentText(success.startedAt, now)}${figures}.`
}
