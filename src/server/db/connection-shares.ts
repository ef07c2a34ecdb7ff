import { poolLimits } from './pool-limits.ts'

/** The default of Postgres's setting `max_connections`. */
const usualConnections = 100
/**
 * The pools of all workers together get at most this many connections. Only with very many workers
 * they get more, because each pool has at least `leastOfPool`.
 */
const pooled = 80
/**
 * A pool has at least two connections. With one, a request that holds it and needs a second one
 * would wait for itself.
 */
const leastOfPool = 2
/**
 * How many connections a worker may have besides its pool. One is its shared session. The other
 * tests the database and then migrates it while the worker starts.
 */
const besidePool = 2
/**
 * Connections for everything that is not a worker: the process that owns the data folder, a backup,
 * and an operator. Postgres may also not yet have closed the connections of workers that have
 * ended.
 */
const others = 20

/**
 * Returns how many connections to the embedded Postgres the pool of each worker may have. Postgres
 * needs memory for each connection. So the more workers there are, the smaller their pools.
 */
export function poolShare(workers: number): number {
  return Math.max(leastOfPool, Math.min(poolLimits.connections, Math.floor(pooled / workers)))
}

/**
 * Returns how many connections the embedded Postgres must accept (`max_connections`). All workers
 * can then use their whole pools at the same time, and `others` connections are still free.
 */
export function embeddedConnections(workers: number): number {
  return Math.max(usualConnections, workers * (poolShare(workers) + besidePool) + others)
}
