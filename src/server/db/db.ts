import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type * as schema from './schema.ts'

/** Drizzle's database with our tables. It is either the pool or an open transaction. */
export type Db = NodePgDatabase<typeof schema>
