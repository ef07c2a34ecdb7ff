import { type CheckDeps, type Finding, ok, warning } from './check.ts'
import { readDatabase } from './queries.ts'

/** The oldest major version of Postgres that we test with. */
const minMajorVersion = 15

/** With fewer connections to spare, a restarting server or a backup may be unable to connect. */
const minSpareConnections = 3

/**
 * Checks that the database responds, that its version is supported, and that it has enough free
 * connections for this server's pool. Even if the pool is full, a few must be free.
 */
export async function checkDatabase({
  db,
  maxDatabaseConnections,
}: Pick<CheckDeps, 'db' | 'maxDatabaseConnections'>): Promise<Finding[]> {
  const startedAt = performance.now()
  const { version, major, allowed, open, pooled } = await readDatabase(db)
  const elapsedMs = Math.max(1, Math.round(performance.now() - startedAt))
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
      `Postgres ${version} responds in ${elapsedMs} ms. Mayfly uses ${pooled} of its ${allowed} connections; each server needs up to ${maxDatabaseConnections}.`,
    ),
  ]
}
