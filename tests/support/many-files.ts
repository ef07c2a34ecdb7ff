import { sql } from 'drizzle-orm'
import type { TestApp } from './app-server.ts'

/**
 * Gives somebody thousands of files at once, without bytes: for what only rows are needed for. The
 * newest is a minute old, each other a minute older than the one before; their names are
 * 'Report 1 of the working group.pdf' and so on, the newest first.
 */
export async function insertFiles(app: TestApp, ownerId: string, count: number): Promise<void> {
  const created = sql`(${app.clock()}::timestamptz - n * interval '1 minute')`
  await app.deps.db.execute(sql`
    insert into files (owner_id, storage, storage_key, original_name, mime_type, size, short_code,
      created_at, expires_at, max_lifetime_at)
    select ${ownerId}, 'disk', substr(translate(gen_random_uuid()::text, '-', ''), 1, 26),
      'Report ' || n || ' of the working group.pdf', 'application/pdf', n * 1000,
      translate(substr(gen_random_uuid()::text, 1, 10), '01-', 'xyz') || n,
      ${created}, ${created} + interval '3 days', ${created} + interval '30 days'
    from generate_series(1, ${count}::int) n`)
}
