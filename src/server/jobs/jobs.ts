import type { JobWithMetadata, JobResult as Outcome } from 'pg-boss'
import { computeDigests } from '../abuse/compute-digests.ts'
import { deleteExpiredReports } from '../abuse/report-queries.ts'
import { removeOldDays } from '../analytics/queries.ts'
import { removeExpiredRows } from '../auth/queries.ts'
import type { Deps } from '../deps.ts'
import { MailRejectedError } from '../email/mailer.ts'
import { removeOldFeedback } from '../feedback/queries.ts'
import { expireFiles, reportOverdue } from '../files/expire-files.ts'
import { queueExpiryEmails, queueFirstDownloadEmails } from '../files/file-emails.ts'
import { forgetReceiptNames } from '../files/receipt-queries.ts'
import { markUndelivered, removeOldLinkEmails } from '../link-emails/queries.ts'
import { redactedMessage } from '../logging/redact.ts'
import { queueRequestReminders } from '../requests/request-emails.ts'
import { expireTrials } from '../tiers/set-tier.ts'
import { reportOverdueRemovals, retryRemovals, sweepUploads } from '../uploads/end-uploads.ts'
import { compareStorage } from './compare-storage.ts'
import { type JobName, jobNames } from './job-names.ts'
import { emailQueueName, type JobQueue, prepareQueues } from './job-queue.ts'
import { type JobResult, recordFailedRun, recordRun } from './queries.ts'
import { type SendMailDeps, sendMail } from './send-mail.ts'

type JobDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'metrics' | 'settings' | 'stores'>

interface Job {
  name: JobName
  /** The schedule as a cron expression, in UTC. */
  cron: string
  /** Runs the job. Returns counts of the changes made. */
  run(deps: JobDeps): Promise<JobResult>
}

/** Maximum delay before a due job starts. */
const pollingIntervalSeconds = 5

/** How often each email worker polls the queue. */
const emailPollingSeconds = 1
/**
 * Number of parallel email workers. With several, a slow delivery holds up only some of the emails.
 */
const emailWorkerCount = 3
/**
 * Number of emails per poll. After a full batch, a worker polls again without a pause, so that a
 * flood of requests doesn't delay emails.
 */
const emailBatchSize = 2

/** Another server takes over a run after this long without a heartbeat. */
const heartbeatSeconds = 60
const heartbeatRefreshSeconds = 20

/**
 * After this time, the queue may start another run of the job, even though the first one continues.
 */
const maxRunSeconds = 12 * 60 * 60

const jobDefinitions: Readonly<Record<JobName, Omit<Job, 'name'>>> = {
  'expire-files': { cron: '* * * * *', run: expireFiles },
  // A separate job, because `expire-files` may take a long time or hang.
  'report-overdue': {
    cron: '* * * * *',
    run: async (deps) => ({ overdue: await reportOverdue(deps) }),
  },
  'expire-trials': { cron: '*/10 * * * *', run: expireTrials },
  'tell-first-downloads': { cron: '* * * * *', run: queueFirstDownloadEmails },
  'tell-ending-links': {
    cron: '*/10 * * * *',
    run: async (deps) => ({
      ...(await queueExpiryEmails(deps)),
      remindedCount: await queueRequestReminders(deps),
    }),
  },
  'sweep-uploads': {
    cron: '* * * * *',
    run: async (deps) => ({
      ended: await sweepUploads(deps),
      ...(await retryRemovals(deps)),
      overdue: await reportOverdueRemovals(deps),
    }),
  },
  'compute-digests': { cron: '* * * * *', run: computeDigests },
  'compare-storage': { cron: '17 3 * * *', run: compareStorage },
  'remove-lapsed-rows': {
    cron: '*/10 * * * *',
    run: async ({ clock, db }) => ({
      removed: await removeExpiredRows(db, clock()),
      names: await forgetReceiptNames(db, clock()),
      reports: await deleteExpiredReports(db, clock()),
      feedback: await removeOldFeedback(db, clock()),
    }),
  },
  'remove-old-days': {
    cron: '41 3 * * *',
    run: async (deps) => ({
      ...(await removeOldDays(deps)),
      linkEmails: await removeOldLinkEmails(deps.db, deps.clock()),
    }),
  },
}

/** All jobs. Each can be interrupted at any point, and rerun or run concurrently. */
export const jobs: readonly Job[] = jobNames.map((name) => ({ name, ...jobDefinitions[name] }))

/** Schedules the jobs in the database. All servers that called `startJobs` share the runs. */
export async function scheduleJobs({ boss }: Pick<JobQueue, 'boss'>): Promise<void> {
  const settings = {
    // At most one run is active or queued, so a slow job's runs don't pile up.
    policy: 'exclusive' as const,
    retryLimit: 2,
    retryBackoff: true,
    heartbeatSeconds,
    expireInSeconds: maxRunSeconds,
  }
  await prepareQueues(
    boss,
    jobs.map(({ name }) => ({ name, ...settings })),
  )
  for (const { name, cron } of jobs) await boss.schedule(name, cron)
}

/** Schedules the jobs, runs them and sends email, until the queue is stopped. */
export async function startJobs(
  deps: JobDeps & SendMailDeps,
  { boss }: Pick<JobQueue, 'boss'>,
): Promise<void> {
  const log = deps.log.child({ part: 'jobs' })
  await scheduleJobs({ boss })
  const options = { pollingIntervalSeconds, heartbeatRefreshSeconds }
  for (const job of jobs) await boss.work(job.name, options, () => runJob({ ...deps, log }, job))
  await startEmailWorkers(deps, { boss })
}

/** Sends queued email until the queue is stopped. */
export async function startEmailWorkers(
  deps: SendMailDeps & Pick<Deps, 'metrics'>,
  { boss }: Pick<JobQueue, 'boss'>,
): Promise<void> {
  const log = deps.log.child({ part: 'jobs' })
  await boss.work(
    emailQueueName,
    {
      pollingIntervalSeconds: emailPollingSeconds,
      localConcurrency: emailWorkerCount,
      batchSize: emailBatchSize,
      burstWhenBatchFull: true,
      perJobResults: true,
      includeMetadata: true,
    },
    async (emails) => Promise.all(emails.map((job) => sendQueuedEmail({ ...deps, log }, job))),
  )
}

/** Runs a job, and records its result or error. */
async function runJob(deps: JobDeps, { name, run }: Job): Promise<void> {
  const { clock, db, log, metrics } = deps
  const startedAt = clock()
  const recordOutcome = metrics.startJob(name)
  try {
    const jobResult = await run(deps)
    const hasChanges = Object.values(jobResult).some((count) => count > 0)
    log[hasChanges ? 'info' : 'debug']({ job: name, result: jobResult }, 'job done')
    await recordRun(db, { job: name, startedAt, endedAt: clock(), result: jobResult })
    recordOutcome('done')
  } catch (error) {
    recordOutcome('failed')
    log.error({ err: error, job: name }, 'job failed; trying again')
    const failure = redactedMessage(error)
    await recordFailedRun(db, { job: name, failedAt: clock(), failure }).catch((error: unknown) =>
      log.warn({ err: error, job: name }, 'could not record that a job failed'),
    )
    throw error
  }
}

/** Tries to send an email. Keeps it for the operator if it is permanently rejected. */
async function sendQueuedEmail(
  deps: SendMailDeps & Pick<Deps, 'metrics'>,
  job: JobWithMetadata<unknown>,
): Promise<Outcome> {
  try {
    await sendMail(deps, job, job.data)
    deps.metrics.recordEmail('sent')
    return { id: job.id, status: 'completed' }
  } catch (error) {
    const isRejected = error instanceof MailRejectedError
    if (isRejected || job.retryCount >= job.retryLimit)
      await markUndelivered(deps.db, job.id, deps.clock())
    deps.metrics.recordEmail(isRejected ? 'refused' : 'failed')
    const message = isRejected
      ? 'email was rejected'
      : 'email could not be sent; it will be retried'
    deps.log.warn({ err: error, jobId: job.id }, message)
    const output = { reason: redactedMessage(error) }
    return { id: job.id, status: isRejected ? 'deadletter' : 'failed', output }
  }
}
