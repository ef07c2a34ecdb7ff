import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { openDatabase } from '../../../src/server/db/open.ts'
import { openJobQueue } from '../../../src/server/jobs/job-queue.ts'
import { scheduleJobs } from '../../../src/server/jobs/jobs.ts'
import { keepTempFilesInMemory } from '../../support/files-in-memory.ts'
import { startTestPostgres } from '../../support/postgres-server.ts'

/** Environment variables that tell Playwright's workers where to find the run's resources. */
const variableNames = { postgres: 'E2E_POSTGRES_URL', folder: 'E2E_FOLDER' }

const readyScript = join(import.meta.dirname, '../../../scripts/ready.mjs')

/**
 * Starts a Postgres server, creates a directory for the run, and rebuilds the web app if its
 * sources have changed.
 */
export default async function setup() {
  execFileSync(process.execPath, [readyScript, 'start'], { stdio: 'inherit' })
  // Must be on disk, because Chromium can't open directories or create file handles in /dev/shm.
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-e2e-'))
  keepTempFilesInMemory()
  const postgres = await startTestPostgres(addJobs)
  process.env[variableNames.postgres] = postgres.url
  process.env[variableNames.folder] = folder
  return async () => {
    await rm(folder, { recursive: true })
    await postgres.stop()
  }
}

/**
 * Creates the job queue's tables and the schedules that a real server has, because the Admin
 * Center's checks fail without them. Each test gets a copy of this database.
 */
async function addJobs(databaseUrl: string): Promise<void> {
  const log = pino({ level: 'silent' })
  const { pool, close } = await openDatabase({ databaseUrl, dataDir: '' }, log)
  const queue = await openJobQueue(pool, log)
  await scheduleJobs(queue)
  await queue.stop()
  await close()
}

function readVariable(variable: string): string {
  const value = process.env[variable]
  if (value === undefined) throw new Error(`The run has not set ${variable}.`)
  return value
}

/** Returns the URL of the administrative database on the run's Postgres server. */
export function getPostgresUrl(): string {
  return readVariable(variableNames.postgres)
}

/** Returns the run's directory on disk, shared by all tests, for files to upload. */
export function getRunFolder(): string {
  return readVariable(variableNames.folder)
}
