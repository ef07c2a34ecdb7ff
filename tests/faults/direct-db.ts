import pg from 'pg'

/** A connection to Postgres that bypasses the proxy. */
export type DirectDb = Pick<pg.Pool, 'query'>

/** Opens a connection to Postgres. If Postgres closes it, the next query reconnects. */
export function openDirectDb(url: string): pg.Pool {
  const directDb = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 })
  // Without a listener, an error would crash this process.
  directDb.on('error', () => {})
  return directDb
}
