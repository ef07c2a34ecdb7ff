import { type CheckDeps, type Finding, ok, warning } from './check.ts'
import { type DatabaseFacts, readDatabase } from './queries.ts'

/** The oldest major version of Postgres with which the server was tested. */
const oldestMajor = 15

/**
 * Checks whether the database answers, which version it has, and whether it has enough connections
 * for all servers that use it now. Each worker of a server counts as a server here.
 */
export async function checkDatabase({
  db,
  mostDatabaseConnections,
}: Pick<CheckDeps, 'db' | 'mostDatabaseConnections'>): Promise<Finding[]> {
  const began = performance.now()
  const facts = await readDatabase(db)
  const ms = Math.max(1, Math.round(performance.now() - began))
  const { version, major, allowed, open } = facts
  if (major < oldestMajor) {
    return [
      warning(
        `Postgres ${version} answers, but it is older than any that this server was tried with.`,
        `Move to Postgres ${oldestMajor} or newer.`,
      ),
    ]
  }
  const { who, have, ours, most } = needOf(facts, mostDatabaseConnections)
  if (allowed - open < most - ours) {
    return [
      warning(
        `Postgres allows ${allowed} connections in all, and ${open} are open. ${who} ${have} ${ours} of them and may need up to ${most}: some requests would then be answered with 503.`,
        'Raise max_connections in the configuration of Postgres and restart it, or end the connections of other programs.',
      ),
    ]
  }
  return [
    ok(
      `Postgres ${version} answers in ${ms} ms. ${who} ${have} ${ours} connections open and may need up to ${most}; the database allows ${allowed} in all.`,
    ),
  ]
}

/**
 * Computes how many connections the servers of this database have, and how many they may need.
 * Every server has the same settings, so `mostOfPool` of this server holds for each of them.
 * Without shared sessions, this server is the only one.
 */
function needOf({ pooled, sessions }: DatabaseFacts, mostOfPool: number) {
  const servers = Math.max(1, sessions)
  const isOne = servers === 1
  return {
    who: isOne ? 'This server' : `The ${servers} servers (with WORKERS, each worker is one)`,
    have: isOne ? 'has' : 'together have',
    ours: pooled + sessions,
    most: servers * mostOfPool + sessions,
  }
}
