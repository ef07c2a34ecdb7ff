import { inject } from 'vitest'
import { createDatabase, type TestDatabase } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The administrative database of the Postgres that serves this test run. */
    postgresUrl: string
  }
}

/** Gives a test file a database of its own, with all migrations applied and nothing in it. */
export function freshDatabase(): Promise<TestDatabase> {
  return createDatabase(inject('postgresUrl'), 'migrated')
}

/** The same without any tables. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase(inject('postgresUrl'), 'nothing')
}
