import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestPostgres } from '../../support/postgres-server.ts'

/** The way by which Playwright's workers learn of what the run has started. */
const variables = { postgres: 'E2E_POSTGRES_URL', folder: 'E2E_FOLDER' }

const ready = join(import.meta.dirname, '../../../scripts/ready.mjs')

/**
 * One Postgres and one folder for the whole run; each test makes its own database in it. The web is
 * built first where its sources have changed: a run by `npx playwright test` must not test an old one.
 */
export default async function setup() {
  execFileSync(process.execPath, [ready, 'start'], { stdio: 'inherit' })
  const postgres = await startTestPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-e2e-run-'))
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

/** The administrative database of the run's Postgres. */
export function postgresUrl(): string {
  return ofRun(variables.postgres)
}

/** A folder for what tests share. */
export function runFolder(): string {
  return ofRun(variables.folder)
}
