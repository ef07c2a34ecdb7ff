import type { Deps } from '../deps.ts'
import { withTimeout } from '../timeout.ts'
import { jobNames } from './job-names.ts'
import { emailQueueName } from './job-queue.ts'
import { countQueued, listJobRecords } from './queries.ts'

/** How long a metrics request waits for the database before omitting these metrics. */
const readTimeoutMs = 2000

/**
 * Exports job metrics from the database. While the database is down, `mayfly_database_up` is 0 and
 * the other series are absent, because old values would hide the outage.
 */
export function watchQueues({ db, metrics }: Pick<Deps, 'db' | 'metrics'>): void {
  const databaseUpGauge = metrics.gauge(
    'mayfly_database_up',
    'Whether the database answered this scrape.',
  )
  const queueDepthGauge = metrics.gauge(
    'mayfly_queue_jobs',
    'Jobs of a queue that are due or running.',
    ['queue', 'state'],
  )
  const lastSuccessGauge = metrics.gauge(
    'mayfly_job_last_success_timestamp_seconds',
    'When the last successful run of a job ended, on whichever server; before the first, when it was scheduled.',
    ['job'],
  )
  const failuresGauge = metrics.gauge(
    'mayfly_job_failures_in_a_row',
    'Failed runs of a job since the last successful one.',
    ['job'],
  )
  const resultsGauge = metrics.gauge(
    'mayfly_job_last_result',
    'What the last successful run of a job did, in its own figures.',
    ['job', 'figure'],
  )

  metrics.beforeScrape(async () => {
    const queriesPromise = Promise.all([countQueued(db), listJobRecords(db)])
    const queryResults = await withTimeout(queriesPromise, readTimeoutMs).catch(() => null)
    for (const gauge of [queueDepthGauge, lastSuccessGauge, failuresGauge, resultsGauge])
      gauge.reset()
    databaseUpGauge.set(queryResults ? 1 : 0)
    if (!queryResults) return
    const [queueDepths, records] = queryResults
    for (const queue of [...jobNames, emailQueueName]) {
      const queueDepth = queueDepths.find((entry) => entry.queue === queue)
      queueDepthGauge.set({ queue, state: 'due' }, queueDepth?.due ?? 0)
      queueDepthGauge.set({ queue, state: 'running' }, queueDepth?.running ?? 0)
    }
    for (const { name: job, scheduledAt, success, failure } of records) {
      failuresGauge.set({ job }, failure?.consecutiveFailures ?? 0)
      // So that the age also grows for a job that never succeeds.
      lastSuccessGauge.set({ job }, (success?.endedAt ?? scheduledAt).getTime() / 1000)
      for (const [figure, value] of Object.entries(success?.result ?? {})) {
        resultsGauge.set({ job, figure }, value)
      }
    }
  })
}
