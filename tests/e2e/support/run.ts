import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { openDatabase } from '../../../src/server/db/open.ts'
import { openJobQueue } from '../../../src/server/jobs/job-queue.ts'
import { scheduleJobs } from '../../../src/server/jobs/jobs.ts'
import { keepFilesInMemory } from '../../support/files-in-memory.ts'
import { startTestPostgres } from '../../support/postgres-server.ts'

/** The environment variables by which Playwright's workers learn what was started for the run. */
const variables = { postgres: 'E2E_POSTGRES_URL', folder: 'E2E_FOLDER' }

const ready = join(import.meta.dirname, '../../../scripts/ready.mjs')

/**
 * Starts one Postgres and makes one folder for the whole run. Each test makes its own database in
 * that Postgres. First the web is built if its sources have changed. So `npx playwright test` never
 * tests an old build.
 */
export default async function setup() {
  execFileSync(process.execPath, [ready, 'start'], { stdio: 'inherit' })
  // This folder must be on the disk. Chromium gives no handle to a file below /dev, and cannot open
  // a folder there.
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-e2e-'))
  keepFilesInMemory()
  // The workers run the servers and the proxies, so they copy every byte several times. With little
  // memory for young objects, Node uses the same buffers again while the processor still has them
  // in its cache. That halves the processor time of a download.
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=1`
  const postgres = await startTestPostgres(addJobs)
  process.env[variables.postgres] = postgres.url
  process.env[variables.folder] = folder
  return async () => {
    await rm(folder, { recursive: true })
    await postgres.stop()
  }
}

/**
 * Adds what the real server adds when it starts: the tables of the job queue and the schedules of
 * the jobs. Without them, the checks in the Admin Center would fail. It happens once a run, because
 * the databases of the tests are copies of this one.
 */
async function addJobs(databaseUrl: string): Promise<void> {
  const log = pino({ level: 'silent' })
  const { pool, close } = await openDatabase({ databaseUrl, dataDir: '' }, log)
  const queue = await openJobQueue(pool, log)
  await scheduleJobs(queue)
  await queue.stop()
  await close()
}

function ofRun(variable: string): string {
  const value = process.env[variable]
  if (value === undefined) throw new Error(`The run has not set ${variable}.`)
  return value
}

/** Returns the URL of the administrative database of the run's Postgres. */
export function postgresUrl(): string {
  return ofRun(variables.postgres)
}

/**
 * Returns the folder on the disk for the files that tests give to the browser. All tests share it.
 */
export function runFolder(): string {
  return ofRun(variables.folder)
}
