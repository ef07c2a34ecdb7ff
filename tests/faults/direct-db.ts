import pg from 'pg'

/** A connection to Postgres that bypasses the proxy. */
export type DirectDb = Pick<pg.Pool, 'query'>

/** Connects to Postgres, and reconnects at the next query if Postgres has closed the connection. */
export function openDirectPool(url: string): pg.Pool {
  const directDb = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 })
  // Without a listener, an error would crash this process.
  directDb.on('error', () => {})
  return directDb
}
