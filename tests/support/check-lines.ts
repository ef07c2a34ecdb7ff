import { jobRuns } from '../../src/server/db/schema.ts'
import { openJobQueue } from '../../src/server/jobs/job-queue.ts'
import { startJobs } from '../../src/server/jobs/jobs.ts'
import type { CheckResult } from '../../src/shared/contract/checks.ts'
import type { TestApp } from './app-server.ts'
import { type Client, json } from './make.ts'

export async function requestChecks(
  admin: Client,
  headers: Record<string, string> = {},
): Promise<CheckResult[]> {
  const response = await admin.fetch('/api/admin/checks', { headers })
  if (response.status !== 200) throw new Error(await response.text())
  return json(response)
}

export function findLine(lines: readonly CheckResult[], name: string): CheckResult {
  const foundLine = lines.find((line) => line.name === name)
  if (!foundLine) throw new Error(`no line ${name}`)
  return foundLine
}

/** Runs all of the Admin Center's checks and returns the result of the check with this name. */
export async function getCheckLine(admin: Client, name: string): Promise<CheckResult> {
  return findLine(await requestChecks(admin), name)
}

export async function withRunningJobs(
  app: TestApp,
  work: () => Promise<void>,
  deps = app.deps,
): Promise<void> {
  const jobQueue = await openJobQueue(app.pool, app.deps.log)
  try {
    await startJobs(deps, jobQueue)
    await work()
  } finally {
    await jobQueue.stop()
  }
}

/** Writes the job schedules to the database, as a starting server does, but runs no jobs. */
export async function scheduleJobs(app: TestApp): Promise<void> {
  await withRunningJobs(app, async () => {})
  await deleteJobRuns(app)
}

export async function deleteJobRuns(app: TestApp): Promise<void> {
  await app.pool.query('delete from pgboss.job')
  await app.deps.db.delete(jobRuns)
}
