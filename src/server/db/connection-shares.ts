import { poolLimits } from './pool.ts'

/** What `max_connections` of Postgres is where nobody sets it. */
const usualConnections = 100
/** How many connections the pools of all workers together have, as far as each gets its least. */
const pooled = 80
/** With fewer, a request that holds a connection would wait for itself when it needs another. */
const leastOfPool = 2
/**
 * What a worker has besides its pool: its shared session, and a connection that tries the database
 * and then migrates it while the worker starts.
 */
const besidePool = 2
/**
 * What else connects: the server that owns the folder, a backup with its pool and its first try, an
 * operator. Some connections of ended workers are not closed yet, and Postgres keeps three back.
 */
const others = 20

/**
 * Returns how many connections the pool of each of these workers may have to the embedded Postgres.
 * Each needs memory there.
 */
export function poolShare(workers: number): number {
  return Math.max(leastOfPool, Math.min(poolLimits.connections, Math.floor(pooled / workers)))
}

/**
 * Returns how many connections the embedded Postgres must take (`max_connections`), so that all
 * workers can use their share at once, and others still get in.
 */
export function embeddedConnections(workers: number): number {
  return Math.max(usualConnections, workers * (poolShare(workers) + besidePool) + others)
}
