import type { JobResult, JobWithMetadata } from 'pg-boss'
import { removeLapsedRows } from '../auth/queries.ts'
import type { Deps } from '../deps.ts'
import { MailRefused } from '../email/mailer.ts'
import { expireFiles } from '../files/expire-files.ts'
import { sweepUploads } from '../uploads/sweep-uploads.ts'
import { type JobQueue, mailQueueName } from './job-queue.ts'
import { type SendMailDeps, sendMail } from './send-mail.ts'
import { sweepOrphans } from './sweep-orphans.ts'

type JobDeps = Pick<Deps, 'clock' | 'db' | 'log' | 'stores'>

interface Job {
  name: string
  /** When it runs, in UTC. */
  cron: string
  run(deps: JobDeps): Promise<unknown>
}

/** How soon a due run is noticed. */
const pollingIntervalSeconds = 5

/** How soon a mail leaves, and how many at once: one that a slow server holds up delays no other. */
const mailPollingSeconds = 1
const mailWorkers = 3
/** While so many wait, nobody waits for the next look: anybody can ask for mail to any address. */
const mailsOfWorker = 2

/** Every job there is. Each can be cut off anywhere and run again, by several servers at once. */
const jobs: readonly Job[] = [
  { name: 'expire-files', cron: '* * * * *', run: expireFiles },
  { name: 'sweep-uploads', cron: '*/10 * * * *', run: sweepUploads },
  { name: 'sweep-orphans', cron: '17 * * * *', run: sweepOrphans },
  {
    name: 'remove-lapsed-rows',
    cron: '*/10 * * * *',
    run: ({ clock, db }) => removeLapsedRows(db, clock()),
  },
]

export interface Jobs {
  /** Asks for a run of a job now, by whichever server is free. */
  run(name: string): Promise<void>
}

/**
 * Schedules the jobs in the database, where one server among many picks up each run, and works on
 * them and on the mail here until the queue is stopped.
 */
export async function startJobs(
  deps: JobDeps & SendMailDeps,
  { boss }: Pick<JobQueue, 'boss'>,
): Promise<Jobs> {
  const log = deps.log.child({ part: 'jobs' })
  for (const job of jobs) {
    // `exclusive`: at most one run of a job waits or works, so a slow one does not pile up.
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

/** One try to send a mail. What was refused for good is not tried again and is kept to be seen. */
async function sendOne(deps: SendMailDeps, job: JobWithMetadata<unknown>): Promise<JobResult> {
  try {
    await sendMail(deps, job, job.data)
    return { id: job.id, status: 'completed' }
  } catch (error) {
    const isRefused = error instanceof MailRefused
    const kept = isRefused ? 'mail was refused' : 'mail could not be sent; it is tried again'
    deps.log.warn({ err: error, jobId: job.id }, kept)
    const output = { reason: error instanceof Error ? error.message : String(error) }
    return { id: job.id, status: isRefused ? 'deadletter' : 'failed', output }
  }
}
