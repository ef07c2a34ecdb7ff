import { jobRuns } from '../../src/server/db/schema.ts'
import { openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { startJobs } from '../../src/server/jobs/jobs.ts'
import type { CheckLine } from '../../src/shared/contract/checks.ts'
import type { TestApp } from './app-server.ts'
import { type Client, json } from './make.ts'

/** For this long the server reuses the lines of the last call. */
export const linesKeptMs = 5000

/** Asks for the checks as the administrator. */
export async function askForChecks(
  admin: Client,
  headers: Record<string, string> = {},
): Promise<CheckLine[]> {
  const response = await admin.fetch('/api/admin/checks', { headers })
  if (response.status !== 200) throw new Error(await response.text())
  return json(response)
}

/** Asks for the checks at a time when the server no longer reuses the lines of the last call. */
export function askAnew(app: TestApp, admin: Client): Promise<CheckLine[]> {
  app.clock.advance(linesKeptMs)
  return askForChecks(admin)
}

/** Returns the line with this name. */
export function named(lines: readonly CheckLine[], name: string): CheckLine {
  const found = lines.find((line) => line.name === name)
  if (!found) throw new Error(`no line ${name}`)
  return found
}

/** Asks anew, and returns the line with this name. */
export async function lineOf(app: TestApp, admin: Client, name: string): Promise<CheckLine> {
  return named(await askAnew(app, admin), name)
}

/** Does this work while the jobs of the server run. */
export async function whileJobsRun(
  app: TestApp,
  work: () => Promise<void>,
  deps = app.deps,
): Promise<void> {
  const running = await openJobQueue(app.pool, app.deps.log)
  try {
    await startJobs(deps, running)
    await work()
  } finally {
    await running.stop()
  }
}

/**
 * Records the schedules of the jobs, as a server does that starts, and forgets what ran meanwhile.
 * No job runs afterwards.
 */
export async function scheduleJobs(app: TestApp): Promise<void> {
  await whileJobsRun(app, async () => {})
  await forgetRuns(app)
}

/** Removes all jobs from the queue, and what is noted about their runs. */
export async function forgetRuns(app: TestApp): Promise<void> {
  await app.pool.query('delete from pgboss.job')
  await app.deps.db.delete(jobRuns)
}
