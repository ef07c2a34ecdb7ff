import { inject } from 'vitest'
import { createDatabase, type TestDatabase } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the administrative database on this test run's Postgres server. */
    postgresUrl: string
  }
}

/** Creates a database with all tables for one test file. */
export function freshDatabase(): Promise<TestDatabase> {
  return createDatabase(inject('postgresUrl'), 'migrated')
}

/** Creates an empty database for one test file. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase(inject('postgresUrl'), 'nothing')
}
