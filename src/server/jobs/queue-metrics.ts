import type { Deps } from '../deps.ts'
import { withTimeout } from '../timeout.ts'
import { jobNames } from './job-names.ts'
import { mailQueueName } from './job-queue.ts'
import { countQueued, listJobRecords } from './queries.ts'

/** A scrape waits this long for the database before it omits the metrics from there. */
const readMs = 2000

/**
 * Exports job metrics from the database. While the database is down, `mayfly_database_up` is 0 and
 * the other series are absent, because old values would hide the outage.
 */
export function watchQueues({ db, metrics }: Pick<Deps, 'db' | 'metrics'>): void {
  const up = metrics.gauge('mayfly_database_up', 'Whether the database answered this scrape.')
  const depth = metrics.gauge('mayfly_queue_jobs', 'Jobs of a queue that are due or running.', [
    'queue',
    'state',
  ])
  const success = metrics.gauge(
    'mayfly_job_last_success_timestamp_seconds',
    'When the last successful run of a job ended, on whichever server; before the first, when it was scheduled.',
    ['job'],
  )
  const failures = metrics.gauge(
    'mayfly_job_failures_in_a_row',
    'Failed runs of a job since the last successful one.',
    ['job'],
  )
  const figures = metrics.gauge(
    'mayfly_job_last_result',
    'What the last successful run of a job did, in its own figures.',
    ['job', 'figure'],
  )
  const isJob = new Set<string>(jobNames)

  metrics.beforeScrape(async () => {
    for (const gauge of [depth, success, failures, figures]) gauge.reset()
    const read = withTimeout(Promise.all([countQueued(db), listJobRecords(db)]), readMs)
    const found = await read.catch(() => null)
    up.set(found ? 1 : 0)
    if (!found) return
    const [queued, records] = found
    for (const queue of [...jobNames, mailQueueName]) {
      const counted = queued.find((one) => one.queue === queue)
      depth.set({ queue, state: 'due' }, counted?.due ?? 0)
      depth.set({ queue, state: 'running' }, counted?.running ?? 0)
    }
    // The table keeps rows for jobs of earlier versions.
    for (const { job, succeededAt, result, failures: failed } of records) {
      if (!isJob.has(job)) continue
      failures.set({ job }, failed)
      if (succeededAt !== null) success.set({ job }, succeededAt)
      for (const [figure, value] of Object.entries(result ?? {})) {
        figures.set({ job, figure }, value)
      }
    }
  })
}
