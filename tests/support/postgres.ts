import { inject } from 'vitest'
import { createDatabase, type TestDatabase } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the administrative database of the Postgres that this test run uses. */
    postgresUrl: string
  }
}

/** Gives a test file its own database with all tables and no rows. */
export function freshDatabase(): Promise<TestDatabase> {
  return createDatabase(inject('postgresUrl'), 'migrated')
}

/** Gives a test file its own database without tables. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase(inject('postgresUrl'), 'nothing')
}
