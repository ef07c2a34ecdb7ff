import { jobRuns } from '../../src/server/db/schema.ts'
import { openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { startJobs } from '../../src/server/jobs/jobs.ts'
import type { CheckLine } from '../../src/shared/contract/checks.ts'
import type { TestApp } from './app-server.ts'
import { type Client, json } from './make.ts'

/**
 * Asks for the results of the checks as the administrator. Each result is a line of the Admin
 * Center.
 */
export async function askForChecks(
  admin: Client,
  headers: Record<string, string> = {},
): Promise<CheckLine[]> {
  const response = await admin.fetch('/api/admin/checks', { headers })
  if (response.status !== 200) throw new Error(await response.text())
  return json(response)
}

/** Returns the result of the check with this name. */
export function named(lines: readonly CheckLine[], name: string): CheckLine {
  const found = lines.find((line) => line.name === name)
  if (!found) throw new Error(`no line ${name}`)
  return found
}

/** Lets the server run the checks, and returns the result of the one with this name. */
export async function lineOf(admin: Client, name: string): Promise<CheckLine> {
  return named(await askForChecks(admin), name)
}

/** Calls `work` while the jobs of the server run. Stops them afterwards. */
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
 * Starts the jobs for a moment, so that their schedules are in the database as after a server's
 * start. Removes what was recorded about runs in that moment. No job runs afterwards.
 */
export async function scheduleJobs(app: TestApp): Promise<void> {
  await whileJobsRun(app, async () => {})
  await forgetRuns(app)
}

/** Removes all jobs from the queue, and all records of earlier runs. */
export async function forgetRuns(app: TestApp): Promise<void> {
  await app.pool.query('delete from pgboss.job')
  await app.deps.db.delete(jobRuns)
}
