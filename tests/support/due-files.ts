import { insertUsers, type RunSql } from './insert-users.ts'
import { insertLinkedFilesSql } from './linked-files.ts'

const filesPerInsert = 100_000

/**
 * Inserts files with the numbers $1 to $2, which expired one to three days ago. Each file's short
 * code encodes its number.
 */
const insertFilesSql = insertLinkedFilesSql(
  `owner_id, storage, storage_key, original_name, mime_type, size, short_code, created_at,
    expires_at, max_lifetime_at, purge_at`,
  `select 'owner ' || 1 + n % $3::int, 'disk',
    substr(encode(sha256((n || 'key')::bytea), 'hex'), 1, 26), 'Report ' || n || '.pdf',
    'application/pdf', 1000, translate(lpad(n::text, 10, '0'), '0125', 'abcd'),
    ended - interval '3 days', ended, ended + interval '27 days', ended
  from generate_series($1::int, $2::int) n,
    lateral (select now() - interval '2 days' * random() - interval '1 day' as ended) ends`,
)

/**
 * Inserts free users' files that have expired and are due to be purged. Their bytes aren't in
 * storage.
 */
export async function insertDueFiles(
  sql: RunSql,
  { files, owners }: { files: number; owners: number },
): Promise<void> {
  await insertUsers(sql, owners, 'free')
  for (let firstNumber = 1; firstNumber <= files; firstNumber += filesPerInsert) {
    await sql(insertFilesSql, [
      firstNumber,
      Math.min(firstNumber + filesPerInsert - 1, files),
      owners,
    ])
  }
  await sql('vacuum analyze')
}

/** Returns the short code of the file with this number. Numbers start at 1. */
export function getDueFileCode(number: number): string {
  const letters: Record<string, string> = { 0: 'a', 1: 'b', 2: 'c', 5: 'd' }
  return String(number)
    .padStart(10, '0')
    .replaceAll(/[0125]/g, (digit) => letters[digit] ?? digit)
}
