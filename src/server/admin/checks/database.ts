import { type CheckDeps, type Finding, ok, warning } from './check.ts'
import { readDatabase } from './queries.ts'

/** The oldest major version of Postgres with which the server was tested. */
const oldestMajor = 15

/** With fewer connections left than this, a restart or a backup may find none. */
const leastLeft = 3

/**
 * Checks whether the database answers, which version it has, and whether it has enough connections
 * for this server's pool. Several servers share the connections; then a few must be left.
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
