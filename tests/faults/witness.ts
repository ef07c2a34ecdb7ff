import pg from 'pg'

/** A connection to Postgres that no fault of the network disturbs. */
export type Witness = Pick<pg.Pool, 'query'>

/** Opens a connection to a database. If Postgres ends it, the next query makes another one. */
export function openWitness(url: string): pg.Pool {
  const witness = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 })
  // An error without a listener would end this process.
  witness.on('error', () => {})
  return witness
}
