import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { removeLapsedRows } from '../auth/queries.ts'
import type { Deps } from '../deps.ts'
import { expireFiles } from '../files/expire-files.ts'
import { sweepUploads } from '../uploads/sweep-uploads.ts'
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

/** How long a stop waits for a running job. */
const stopMs = 10_000

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
  /** Resolves when nothing runs any more. A run that takes too long is cut off, which is safe. */
  stop(): Promise<void>
}

/**
 * Schedules the jobs in the database, where one server among many picks up each run, and works on
 * them here until `stop`.
 */
export const startJobs = async (deps: JobDeps, pool: pg.Pool): Promise<Jobs> => {
  const log = deps.log.child({ part: 'jobs' })
  const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) } })
  boss.on('error', (error) => log.error({ err: error }, 'the job queue failed'))
  await boss.start()
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
  return {
    async run(name) {
      await boss.send(name)
    },
    stop: () => boss.stop({ graceful: true, timeout: stopMs }),
  }
}
