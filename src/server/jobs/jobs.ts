import type { JobWithMetadata, JobResult as Outcome } from 'pg-boss'
import { computeDigests } from '../abuse/compute-digests.ts'
import { removeLapsedReports } from '../abuse/report-queries.ts'
import { removeOldDays } from '../analytics/remove-old-days.ts'
import { removeExpiredRows } from '../auth/queries.ts'
import type { Deps } from '../deps.ts'
import { MailRefused } from '../email/mailer.ts'
import { removeOldFeedback } from '../feedback/queries.ts'
import { expireFiles, reportOverdue } from '../files/expire-files.ts'
import { tellEndingLinks, tellFirstDownloads } from '../files/file-emails.ts'
import { forgetReceiptNames } from '../files/receipt-queries.ts'
import { redactedMessage } from '../logging/redact.ts'
import { expireTrials } from '../tiers/set-tier.ts'
import { reportOverdueRemovals, retryRemovals, sweepUploads } from '../uploads/end-uploads.ts'
import { compareStorage } from './compare-storage.ts'
import { type JobName, jobNames } from './job-names.ts'
import { type JobQueue, mailQueueName, prepareQueues } from './job-queue.ts'
import { addHeartbeats, type JobResult, noteFailedRun, noteRun } from './queries.ts'
import { type SendMailDeps, sendMail } from './send-mail.ts'

type JobDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'metrics' | 'settings' | 'stores'>

interface Job {
  name: JobName
  /** When the job runs, in UTC. */
  cron: string
  /** Does the work. Returns counts of what it did. */
  run(deps: JobDeps): Promise<JobResult>
}

/** A due job starts after this many seconds at most. */
const pollingIntervalSeconds = 5

/**
 * How often mail is looked for, and how many loops of one process send mail in parallel, so that a
 * slow mail server delays only some emails. The queue calls such a loop a worker.
 */
const mailPollingSeconds = 1
const mailWorkers = 3
/**
 * How many emails a loop takes in one step. A loop that got this many looks for more without a
 * pause. Otherwise many requests for mail, which any client can make, would delay all mail.
 */
const mailsOfWorker = 2

/**
 * While a server runs a job, it writes a heartbeat to the database every `heartbeatRefreshSeconds`.
 * If no heartbeat comes for `heartbeatSeconds`, the server was probably killed, and another server
 * takes the run over. The queue looks for such runs once a minute.
 */
const heartbeatSeconds = 60
const heartbeatRefreshSeconds = 20

/**
 * The queue waits this long for the end of a run whose server still sends heartbeats. A run that
 * takes longer goes on, but another one may begin in parallel.
 */
const longestRunSeconds = 12 * 60 * 60

/** The work of every job. */
const work: Readonly<Record<JobName, Omit<Job, 'name'>>> = {
  'expire-files': { cron: '* * * * *', run: expireFiles },
  // This is a job of its own, so that it also reports when `expire-files` takes long or hangs.
  'report-overdue': {
    cron: '* * * * *',
    run: async (deps) => ({ overdue: await reportOverdue(deps) }),
  },
  'expire-trials': { cron: '*/10 * * * *', run: expireTrials },
  'tell-first-downloads': { cron: '* * * * *', run: tellFirstDownloads },
  'tell-ending-links': { cron: '*/10 * * * *', run: tellEndingLinks },
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
      reports: await removeLapsedReports(db, clock()),
      feedback: await removeOldFeedback(db, clock()),
    }),
  },
  'remove-old-days': { cron: '41 3 * * *', run: removeOldDays },
}

/**
 * Every job. Each works in batches. It can be interrupted anywhere and run again, and several
 * servers can run it in parallel. After a time in which no server ran, one run does everything that
 * is due.
 */
export const jobs: readonly Job[] = jobNames.map((name) => ({ name, ...work[name] }))

/** Jobs of earlier versions. Their schedules may still be in the database. */
const formerJobs = ['sweep-orphans']

export interface Jobs {
  /** Asks for one run of a job now. Any server that has time runs it. */
  run(name: JobName): Promise<void>
}

/**
 * Records every job and its schedule in the database. It runs nothing itself: for each run, one of
 * the servers that have called `startJobs` does the work.
 */
export async function scheduleJobs(
  db: Deps['db'],
  { boss }: Pick<JobQueue, 'boss'>,
): Promise<void> {
  // With `exclusive`, at most one run of a job is running or waiting. So runs of a slow job do not
  // pile up.
  const queues = jobs.map(({ name }) => ({
    name,
    policy: 'exclusive' as const,
    retryLimit: 2,
    retryBackoff: true,
    heartbeatSeconds,
    expireInSeconds: longestRunSeconds,
  }))
  await prepareQueues(boss, queues)
  const found = new Map((await boss.getSchedules()).map((known) => [known.name, known.cron]))
  for (const { name, cron } of jobs) {
    if (found.get(name) !== cron) await boss.schedule(name, cron)
  }
  await addHeartbeats(db, heartbeatSeconds)
  for (const name of formerJobs) if (found.has(name)) await boss.unschedule(name)
}

/**
 * Schedules the jobs in the database. This process runs jobs and sends mail until the queue is
 * stopped.
 */
export async function startJobs(
  deps: JobDeps & SendMailDeps,
  { boss }: Pick<JobQueue, 'boss'>,
): Promise<Jobs> {
  const log = deps.log.child({ part: 'jobs' })
  await scheduleJobs(deps.db, { boss })
  const options = { pollingIntervalSeconds, heartbeatRefreshSeconds }
  for (const job of jobs) await boss.work(job.name, options, () => runJob({ ...deps, log }, job))
  await sendQueuedMail(deps, { boss })
  return {
    async run(name) {
      await boss.send(name)
    },
  }
}

/** This process sends the mail that waits in the database, until the queue is stopped. */
export async function sendQueuedMail(
  deps: SendMailDeps & Pick<Deps, 'metrics'>,
  { boss }: Pick<JobQueue, 'boss'>,
): Promise<void> {
  const log = deps.log.child({ part: 'jobs' })
  await boss.work(
    mailQueueName,
    {
      pollingIntervalSeconds: mailPollingSeconds,
      localConcurrency: mailWorkers,
      batchSize: mailsOfWorker,
      burstWhenBatchFull: true,
      perJobResults: true,
      includeMetadata: true,
    },
    async (mails) => Promise.all(mails.map((job) => sendOne({ ...deps, log }, job))),
  )
}

/** Runs a job once. Records what it did or why it failed. */
async function runJob(deps: JobDeps, { name, run }: Job): Promise<void> {
  const { clock, db, log, metrics } = deps
  const startedAt = clock()
  const ended = metrics.startJob(name)
  try {
    const result = await run(deps)
    const didSomething = Object.values(result).some((count) => count > 0)
    log[didSomething ? 'info' : 'debug']({ job: name, result }, 'job done')
    await noteRun(db, { job: name, startedAt, endedAt: clock(), result })
    ended('done')
  } catch (error) {
    ended('failed')
    log.error({ err: error, job: name }, 'job failed; it is tried again')
    const failure = redactedMessage(error)
    await noteFailedRun(db, { job: name, failedAt: clock(), failure }).catch((error: unknown) =>
      log.warn({ err: error, job: name }, 'the failure of a job could not be noted'),
    )
    throw error
  }
}

/**
 * Tries once to send an email. An email that was refused permanently is kept for the operator and
 * not tried again.
 */
async function sendOne(
  deps: SendMailDeps & Pick<Deps, 'metrics'>,
  job: JobWithMetadata<unknown>,
): Promise<Outcome> {
  try {
    await sendMail(deps, job, job.data)
    deps.metrics.mailTried('sent')
    return { id: job.id, status: 'completed' }
  } catch (error) {
    const isRefused = error instanceof MailRefused
    deps.metrics.mailTried(isRefused ? 'refused' : 'failed')
    const kept = isRefused ? 'mail was refused' : 'mail could not be sent; it is tried again'
    deps.log.warn({ err: error, jobId: job.id }, kept)
    const output = { reason: redactedMessage(error) }
    return { id: job.id, status: isRefused ? 'deadletter' : 'failed', output }
  }
}
