import { type CheckDeps, type Finding, ok, warning } from './check.ts'
import { readDatabase } from './queries.ts'

/** The oldest major version of Postgres that the server was tested with. */
const minMajorVersion = 15

/** With fewer spare connections, a restart or a backup may fail to connect. */
const minSpareConnections = 3

/**
 * Checks the database's response, its version, and its number of connections. They must be enough
 * for this server's pool, with a few to spare if several servers share them.
 */
export async function checkDatabase({
  db,
  maxDatabaseConnections,
}: Pick<CheckDeps, 'db' | 'maxDatabaseConnections'>): Promise<Finding[]> {
  const startedAt = performance.now()
  const { version, major, allowed, open, pooled } = await readDatabase(db)
  const ms = Math.max(1, Math.round(performance.now() - startedAt))
  if (major < minMajorVersion) {
    return [
      warning(
        `Postgres ${version} responds, but is older than any version that Mayfly is tested with.`,
        `Move to Postgres ${minMajorVersion} or newer.`,
      ),
    ]
  }
  const requiredConnections = Math.max(minSpareConnections, maxDatabaseConnections - pooled)
  if (allowed - open < requiredConnections) {
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
