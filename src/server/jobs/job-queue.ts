import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { fromDrizzle, PgBoss, type Queue, systemClock } from 'pg-boss'
import type { Logger } from 'pino'
import { mailRequestKeptMs } from '../../shared/rules/files/kept-times.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import type { MailQueue } from '../email/mail-queue.ts'
import type { JobOnDemand } from './job-names.ts'
import { pullBackFutureStamps } from './queries.ts'

/** How long `stop` waits for running jobs. */
const stopMs = 10_000

/**
 * The clock of pg-boss's timers. The clock of the system can be set back while the server runs, and
 * the timers would then wait for as long as it was ahead. This one only goes forward. Once a minute
 * pg-boss reads how far it is from the clock of the database, which decides when a job is due.
 */
const steadyClock = { ...systemClock, now: () => performance.timeOrigin + performance.now() }

export const mailQueueName = 'send-mail'

/** The queue of jobs in the database. All servers share it. */
export interface JobQueue {
  boss: PgBoss
  mail: MailQueue
  /**
   * Asks for a run of a job. It begins within some seconds. If a run goes on already, or the queue
   * cannot be reached, the next regular run does the work.
   */
  askForJob(name: JobOnDemand): void
  /**
   * Stops the jobs of this server. Resolves when none runs here any more. A job that takes too long
   * is interrupted, which is safe.
   */
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
  const pullBack = async () => {
    const count = await pullBackFutureStamps(pool)
    if (count > 0) log.warn({ count }, 'the clock of the database was set back; jobs go on')
  }
  await pullBack()
  const pullingBack = setInterval(() => void pullBack().catch(logFailure), minuteInMs)
  // The waits between tries are at least 30 s, a minute, two minutes and so on, up to an hour.
  // pg-boss makes each wait longer by a random part, but none longer than an hour. Together the
  // waits last more than 24 hours. An email that was refused, or that ran out of tries, is kept for
  // a while, so that an operator can look at it. A try ends after `expireInSeconds`, also when its
  // server was killed.
  await prepareQueues(boss, [
    {
      name: mailQueueName,
      retryLimit: 31,
      retryDelay: 30,
      retryBackoff: true,
      retryDelayMax: 60 * 60,
      expireInSeconds: 2 * 60,
      deleteAfterSeconds: mailRequestKeptMs / 1000,
    },
  ])
  return {
    boss,
    mail: {
      async add(request, tx, later) {
        await boss.send(mailQueueName, request, {
          ...(later && { id: later.key, startAfter: later.at }),
          ...(tx && { db: fromDrizzle(tx, sql) }),
        })
      },
      async withdraw({ userId, email, signupIds }, tx) {
        const { rowCount } = await tx.execute(sql`
          delete from pgboss.job where name = ${mailQueueName} and state < 'active'
            and (data->>'userId' = ${userId} or data->>'email' = ${email}
              or data->>'signupId' = any(${sql.param([...signupIds])}::text[]))`)
        return rowCount ?? 0
      },
    },
    askForJob(name) {
      boss.send(name).catch((error: unknown) => {
        log.warn({ err: error, job: name }, 'the work of a job waits for its next regular run')
      })
    },
    stop() {
      clearInterval(pullingBack)
      return boss.stop({ graceful: true, timeout: stopMs })
    },
  }
}

/**
 * Creates queues. A queue that an earlier version created gets these settings too, except for its
 * policy, which cannot be changed. Most starts find every queue as it should be, and write nothing.
 */
export async function prepareQueues(
  boss: PgBoss,
  queues: readonly Omit<Queue, 'partition'>[],
): Promise<void> {
  const found = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  for (const { name, policy, ...settings } of queues) {
    const known = found.get(name)
    if (!known) await boss.createQueue(name, { policy, ...settings })
    else if (!has(known, settings)) await boss.updateQueue(name, settings)
  }
}

/** Tells whether a queue has all of these settings. */
function has(queue: Queue, settings: Partial<Queue>): boolean {
  return Object.entries(settings).every(([key, value]) => queue[key as keyof Queue] === value)
}
