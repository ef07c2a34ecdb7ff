import { startTestPostgres } from '../../support/postgres-server.ts'

/** The way by which Playwright's workers learn of what the run has started. */
const variable = 'E2E_POSTGRES_URL'

/** One Postgres for the whole run; each test makes its own database in it. */
export default async function setup() {
  const postgres = await startTestPostgres()
  process.env[variable] = postgres.url
  return postgres.stop
}

/** The administrative database of the run's Postgres. */
export const postgresUrl = (): string => {
  const url = process.env[variable]
  if (url === undefined) throw new Error('The Postgres of the run is not there.')
  return url
}
