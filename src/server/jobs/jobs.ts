import type { JobResult, JobWithMetadata } from 'pg-boss'
import { removeOldDays } from '../analytics/remove-old-days.ts'
import { removeLapsedRows } from '../auth/queries.ts'
import { messageWithoutValues } from '../db/without-values.ts'
import type { Deps } from '../deps.ts'
import { MailRefused } from '../email/mailer.ts'
import { tellEndingLinks, tellFirstDownloads } from '../files/ask-for-file-letters.ts'
import { expireFiles } from '../files/expire-files.ts'
import { expireTrials } from '../tiers/expire-trials.ts'
import { sweepUploads } from '../uploads/sweep-uploads.ts'
import { type JobQueue, mailQueueName } from './job-queue.ts'
import { type SendMailDeps, sendMail } from './send-mail.ts'
import { sweepOrphans } from './sweep-orphans.ts'

type JobDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'mailQueue' | 'stores'>

interface Job {
  name: string
  /** When the job runs, in UTC. */
  cron: string
  run(deps: JobDeps): Promise<unknown>
}

/** A due job starts after this many seconds at most. */
const pollingIntervalSeconds = 5

/**
 * How often mail is looked for, and how many workers send mail in parallel, so that a slow mail
 * server delays only some mails.
 */
const mailPollingSeconds = 1
const mailWorkers = 3
/**
 * How many mails a worker takes in one step. A worker that got this many looks for more without a
 * pause. Otherwise many requests for mail, which any client can make, would delay all mail.
 */
const mailsOfWorker = 2

/**
 * Every job. Each can be interrupted anywhere and run again, and several servers can run it in
 * parallel.
 */
const jobs: readonly Job[] = [
  { name: 'expire-files', cron: '* * * * *', run: expireFiles },
  { name: 'expire-trials', cron: '*/10 * * * *', run: expireTrials },
  { name: 'tell-first-downloads', cron: '* * * * *', run: tellFirstDownloads },
  { name: 'tell-ending-links', cron: '*/10 * * * *', run: tellEndingLinks },
  { name: 'sweep-uploads', cron: '*/10 * * * *', run: sweepUploads },
  { name: 'sweep-orphans', cron: '17 * * * *', run: sweepOrphans },
  {
    name: 'remove-lapsed-rows',
    cron: '*/10 * * * *',
    run: ({ clock, db }) => removeLapsedRows(db, clock()),
  },
  { name: 'remove-old-days', cron: '41 3 * * *', run: removeOldDays },
]

export interface Jobs {
  /** Asks for one run of a job now. Any server that has time runs it. */
  run(name: string): Promise<void>
}

/**
 * Schedules the jobs in the database. For each run, one of the servers does the work. This process
 * runs jobs and sends mail until the queue is stopped.
 */
export async function startJobs(
  deps: JobDeps & SendMailDeps,
  { boss }: Pick<JobQueue, 'boss'>,
): Promise<Jobs> {
  const log = deps.log.child({ part: 'jobs' })
  for (const job of jobs) {
    // With `exclusive`, at most one run of a job is running or waiting. So runs of a slow job do
    // not pile up.
    await boss.createQueue(job.name, { policy: 'exclusive', retryLimit: 2, retryBackoff: true })
    await boss.work(job.name, { pollingIntervalSeconds }, async () => {
      try {
        const result = await job.run(deps)
        log.debug({ job: job.name, result }, 'job done')
      } catch (error) {
        log.error({ err: error, job: job.name }, 'job failed; it is tried again')
        throw error
      }
    })
    await boss.schedule(job.name, job.cron)
  }
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
  return {
    async run(name) {
      await boss.send(name)
    },
  }
}

/**
 * Tries once to send a mail. A mail that was refused permanently is kept for the operator and not
 * tried again.
 */
async function sendOne(deps: SendMailDeps, job: JobWithMetadata<unknown>): Promise<JobResult> {
  try {
    await sendMail(deps, job, job.data)
    return { id: job.id, status: 'completed' }
  } catch (error) {
    const isRefused = error instanceof MailRefused
    const kept = isRefused ? 'mail was refused' : 'mail could not be sent; it is tried again'
    deps.log.warn({ err: error, jobId: job.id }, kept)
    const output = { reason: messageWithoutValues(error) }
    return { id: job.id, status: isRefused ? 'deadletter' : 'failed', output }
  }
}
