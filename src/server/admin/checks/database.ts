import { poolLimits } from '../../db/pool.ts'
import { type CheckDeps, type Finding, ok, warning } from './check.ts'
import { readDatabase } from './queries.ts'

/** The oldest major version of Postgres with which the server was tested. */
const oldestMajor = 15

/**
 * Checks whether the database answers, which version it has, and whether it has free connections
 * for this server.
 */
export async function checkDatabase({ db }: Pick<CheckDeps, 'db'>): Promise<Finding[]> {
  const began = performance.now()
  const { version, major, allowed, open, ours } = await readDatabase(db)
  const ms = Math.max(1, Math.round(performance.now() - began))
  const most = poolLimits.connections
  if (major < oldestMajor) {
    return [
      warning(
        `Postgres ${version} answers, but it is older than any that this server was tried with.`,
        `Move to Postgres ${oldestMajor} or newer.`,
      ),
    ]
  }
  const wanted = Math.max(0, most - ours)
  if (allowed - open < wanted) {
    return [
      warning(
        `Postgres allows ${allowed} connections in all, and ${open} are open. This server has ${ours} of them and may need up to ${most}: some requests would then be answered with 503.`,
        'Raise max_connections in the configuration of Postgres and restart it, or end the connections of other programs.',
      ),
    ]
  }
  return [
    ok(
      `Postgres ${version} answers in ${ms} ms. This server has ${ours} connections open and takes ${most} at most; the database allows ${allowed} in all.`,
    ),
  ]
}
