import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { fromDrizzle, PgBoss, type Queue, systemClock } from 'pg-boss'
import type { Logger } from 'pino'
import { emailRetentionMs } from '../../shared/rules/files/retention.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import type { MailQueue } from '../email/mail-queue.ts'
import type { OnDemandJob } from './job-names.ts'
import { resetFutureTimestamps } from './queries.ts'

/** How long `stop` waits for running jobs. */
const stopTimeoutMs = 10_000

/**
 * A monotonic clock for pg-boss's timers. If they used the system clock, setting it back an hour
 * would stall them for an hour.
 */
const steadyClock = { ...systemClock, now: () => performance.timeOrigin + performance.now() }

export const emailQueueName = 'send-mail'

/** The job queue in the database, shared by all servers. */
export interface JobQueue {
  boss: PgBoss
  emails: MailQueue
  /**
   * Requests that a job run within seconds. If the request fails, the next scheduled run does the
   * work.
   */
  requestJob(name: OnDemandJob): void
  /** Stops the jobs on this server. A job that takes too long is interrupted, which is safe. */
  stop(): Promise<void>
}

/** Opens the job queue. No job runs before `startJobs` is called. */
export async function openJobQueue(pool: pg.Pool, log: Logger): Promise<JobQueue> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    clock: steadyClock,
    clockMonitorIntervalSeconds: 60,
  })
  const logFailure = (error: unknown) => log.error({ err: error }, 'the job queue failed')
  boss.on('error', logFailure)
  await boss.start()
  const resetTimestamps = async () => {
    const count = await resetFutureTimestamps(pool)
    if (count > 0)
      log.warn({ count }, 'the clock of the database was set back; reset the times of jobs')
  }
  await resetTimestamps()
  const resetTimer = setInterval(() => void resetTimestamps().catch(logFailure), minuteInMs)
  // Retry delays start at 30 s and double up to an hour, so an email is retried for more than a
  // day.
  await prepareQueues(boss, [
    {
      name: emailQueueName,
      retryLimit: 31,
      retryDelay: 30,
      retryBackoff: true,
      retryDelayMax: 60 * 60,
      expireInSeconds: 2 * 60,
      deleteAfterSeconds: emailRetentionMs / 1000,
    },
  ])
  return {
    boss,
    emails: {
      async add(request, tx, schedule) {
        await boss.send(emailQueueName, request, {
          ...(schedule && { id: schedule.key, startAfter: schedule.at }),
          ...(tx && { db: fromDrizzle(tx, sql) }),
        })
      },
    },
    requestJob(name) {
      boss.send(name).catch((error: unknown) => {
        log.warn(
          { err: error, job: name },
          'could not enqueue a job; it runs at its next scheduled time',
        )
      })
    },
    stop() {
      clearInterval(resetTimer)
      return boss.stop({ graceful: true, timeout: stopTimeoutMs })
    },
  }
}

/** Creates queues, or updates the settings of existing ones. */
export async function prepareQueues(
  boss: PgBoss,
  queues: readonly Omit<Queue, 'partition'>[],
): Promise<void> {
  const existingNames = new Set((await boss.getQueues()).map(({ name }) => name))
  for (const { name, policy, ...settings } of queues) {
    if (existingNames.has(name)) await boss.updateQueue(name, settings)
    else await boss.createQueue(name, { policy, ...settings })
  }
}
