import { type CheckDeps, type Finding, ok, warning } from './check.ts'
import { readDatabase } from './queries.ts'

/** The oldest major version of Postgres that the server was tested with. */
const oldestMajor = 15

/** With fewer spare connections, a restart or a backup may fail to connect. */
const leastLeft = 3

/**
 * Checks the database's response, its version, and its number of connections. They must be enough
 * for this server's pool, with a few to spare if several servers share them.
 */
export async function checkDatabase({
  db,
  maxDatabaseConnections,
}: Pick<CheckDeps, 'db' | 'maxDatabaseConnections'>): Promise<Finding[]> {
  const began = performance.now()
  const { version, major, allowed, open, pooled } = await readDatabase(db)
  const ms = Math.max(1, Math.round(performance.now() - began))
  if (major < oldestMajor) {
    return [
      warning(
        `Postgres ${version} responds, but is older than any version that Mayfly is tested with.`,
        `Move to Postgres ${oldestMajor} or newer.`,
      ),
    ]
  }
  const needed = Math.max(leastLeft, maxDatabaseConnections - pooled)
  if (allowed - open < needed) {
    return [
      warning(
        `Postgres allows ${allowed} connections, and ${open} are open, ${pooled} of them by Mayfly. Each server may need ${maxDatabaseConnections}; without them, some requests fail with 503.`,
        'Raise max_connections in the configuration of Postgres and restart it, or close connections of other programs.',
      ),
    ]
  }
  return [
    ok(
      `Postgres ${version} responds in ${ms} ms. Mayfly uses ${pooled} of its ${allowed} connections; each server needs up to ${maxDatabaseConnections}.`,
    ),
  ]
}
