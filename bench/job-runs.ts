import { setTimeout as wait } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import type { Mayfly } from './mayfly.ts'

/** How long to wait for jobs that run every minute. */
const jobTimeoutMs = 150_000
const pollMs = 500

/** A finished run of a job. `result` contains the counts that the job reported, by name. */
export interface JobRun {
  job: string
  ms: number
  result: Record<string, number>
}

/**
 * Waits until each of these jobs has run again. Returns their runs, sorted by job.
 * @throws {Error} if a job didn't run within `maxMs`.
 */
export async function waitForRuns(
  mayfly: Mayfly,
  jobs: string[],
  maxMs = jobTimeoutMs,
): Promise<JobRun[]> {
  const since = new Date()
  const deadlineMs = Date.now() + maxMs
  for (;;) {
    const runs = await mayfly.sql<Omit<JobRun, 'ms'> & { ms: string }>(
      `select job, result, extract(epoch from ended_at - started_at) * 1000 as ms
        from job_runs where job = any($1) and started_at > $2 order by job`,
      [jobs, since],
    )
    if (runs.length === jobs.length) return runs.map((run) => ({ ...run, ms: Number(run.ms) }))
    if (Date.now() > deadlineMs) {
      const missingJobs = jobs.filter((name) => runs.every(({ job }) => job !== name))
      throw new Error(`these jobs have not run within ${maxMs / 1000} s: ${missingJobs.join(', ')}`)
    }
    await wait(pollMs)
  }
}

/**
 * Keeps scheduled jobs from disturbing a measurement. They are scheduled again at the server's next
 * start.
 */
export async function pauseJobs(mayfly: Mayfly): Promise<void> {
  await mayfly.sql("update pgboss.schedule set cron = '0 0 1 1 *'")
}

/** Starts a job immediately and waits up to `maxMs` for it to finish. */
export type RunJob = (job: string, maxMs?: number) => Promise<JobRun>

/**
 * Calls `work` with a function that starts a job immediately and waits up to `maxMs` for it to
 * finish.
 */
export async function withJobs<Result>(
  mayfly: Mayfly,
  work: (run: RunJob) => Promise<Result>,
): Promise<Result> {
  const executeSql = async (text: string, values?: unknown[]) => ({
    rows: await mayfly.sql(text, values),
  })
  const boss = new PgBoss({ db: { executeSql }, supervise: false, schedule: false, migrate: false })
  await boss.start()
  try {
    return await work(async (job, maxMs) => {
      const runsPromise = waitForRuns(mayfly, [job], maxMs)
      await boss.send(job)
      const [run] = await runsPromise
      if (!run) throw new Error(`the job ${job} did not run`)
      return run
    })
  } finally {
    await boss.stop({ graceful: false })
  }
}
