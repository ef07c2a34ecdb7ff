import type { TestProject } from 'vitest/node'
import { startTestPostgres } from './postgres-server.ts'
import { canMount } from './small-disk.ts'

/**
 * Starts one Postgres server for the whole test run. Each test file creates its own database on it.
 */
export default async function setup(project: TestProject) {
  const postgres = await startTestPostgres()
  project.provide('canMount', await canMount())
  project.provide('postgresUrl', postgres.url)
  return postgres.stop
}
