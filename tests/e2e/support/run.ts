import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  // This folder stays on the disk. Chromium gives no handle to a file below /dev, and does not open a
  // folder there at all.
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-e2e-'))
  keepFilesInMemory()
  // Workers hold the servers and the network, so they move every byte several times. With few young
  // objects, Node uses the same buffers again while the processor has them at hand. That halves the
  // processor time of a download.
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=1`
  const postgres = await startTestPostgres()
  process.env[variables.postgres] = postgres.url
  process.env[variables.folder] = folder
  return async () => {
    await rm(folder, { recursive: true })
    await postgres.stop()
  }
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

/** Returns the folder on the disk for files that the browser is given. Tests share it. */
export function runFolder(): string {
  return ofRun(variables.folder)
}
