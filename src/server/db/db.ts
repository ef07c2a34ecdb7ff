import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type * as schema from './schema.ts'

/** The tables of the database, to be queried on the pool or in a transaction. */
export type Db = NodePgDatabase<typeof schema>
