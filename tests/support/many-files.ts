import type { TestApp } from './app-server.ts'
import { insertLinkedFilesSql } from './linked-files.ts'

/**
 * Returns SQL that inserts files without storing bytes. File n is n minutes old and named 'Report n
 * of the working group.pdf'. The files already have a SHA-256, so that no job tries to read their
 * bytes.
 */
export function insertFilesQuery(ownerId: string, count: number, now: Date) {
  const createdAt = `($3::timestamptz - n * interval '1 minute')`
  return {
    text: insertLinkedFilesSql(
      `owner_id, storage, storage_key, original_name, mime_type, size, short_code, created_at,
        expires_at, max_lifetime_at, purge_at, sha256, is_content_proved`,
      `select $1::text, 'disk', substr(translate(gen_random_uuid()::text, '-', ''), 1, 26),
        'Report ' || n || ' of the working group.pdf', 'application/pdf', n * 1000,
        translate(substr(gen_random_uuid()::text, 1, 10), '01-', 'xyz') || n,
        ${createdAt}, ${createdAt} + interval '3 days', ${createdAt} + interval '30 days',
        ${createdAt} + case when (select tier from users where id = $1) = 'premium'
          then interval '30 days' else interval '3 days' end,
        encode(sha256(n::text::bytea), 'hex'), true
      from generate_series(1, $2::int) n`,
    ),
    values: [ownerId, count, now],
  }
}

/** Inserts many files into a test server's database. */
export async function insertFiles(app: TestApp, ownerId: string, count: number): Promise<void> {
  await app.pool.query(insertFilesQuery(ownerId, count, app.clock()))
}
