import { dayInMs } from '../src/shared/rules/format/units.ts'
import { shortCodeAlphabet, shortCodeLength } from '../src/shared/rules/links/short-code.ts'
import { fillInBulk, type Statements } from './fill-in-bulk.ts'
import type { Mayfly } from './mayfly.ts'
import { personNamesSql } from './names.ts'

/** Average number of files per user. Every fifth user is premium. */
export const filesPerUser = 50
/** The files' upload times are spread over this period. */
const uploadPeriodMs = 60 * dayInMs
/** Maximum number of files inserted per statement. */
const filesPerStatement = 500_000

/**
 * Selects users $1 to $2, with each user's number as `n` and the current time, $3, as `now`. Ids
 * are 32 characters long.
 */
const peopleSql = `(select n, md5('user ' || n) as id, $3::timestamptz as now
  from generate_series($1::bigint, $2::bigint) n) people`

/** Inserts all rows for users $1 to $2 except their files. One statement per table. */
const userRowSql = [
  `insert into users (id, name, first_name, last_name, email, tier, created_at, updated_at)
    select id, first || ' ' || last, first, last,
      lower(first || '.' || last) || '.' || n || '@mail' || n % 500 || '.example',
      case when n % 5 = 0 then 'premium' else 'free' end,
      now - interval '60 days' - interval '1 minute' * ($2 - n), now
    from ${peopleSql}, ${personNamesSql}`,
  `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
    select md5('account ' || n), id, id, 'credential',
      encode(sha512(id::bytea), 'hex') || ':' || id, now, now from ${peopleSql}`,
  // Every second user has two sessions.
  `insert into sessions (id, token, user_id, expires_at, ip_address, user_agent, created_at, updated_at)
    select md5('session ' || n || browser), md5('token ' || n || browser), id, now + interval '14 days',
      '192.0.2.7', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', now, now
    from ${peopleSql}, generate_series(0, n % 2) browser`,
  `insert into preferences (user_id, default_expiration_days, mail_on_first_download, mail_before_expiry)
    select id, 3, true, true from ${peopleSql} where n % 20 = 0`,
  `insert into branding (user_id, name, accent, message, updated_at)
    select id, 'Lovelace & Co.', '#336699', 'Our files for you.', now from ${peopleSql} where n % 50 = 0`,
  `insert into owner_downloads (owner_id, day, shard, count)
    select id, now::date - ago, n % 16, 1 + ago from ${peopleSql}, generate_series(0, 54, 6) ago`,
  `insert into audit_log (at, actor, action, subject, details)
    select now - interval '1 second' * ($2 - n), id, action, id, '{"reason": "preview"}'
    from ${peopleSql}, unnest(array['set-tier', 'change-password']) action`,
]

/** Base64 characters that short codes can't contain, and the characters that replace them. */
const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const foreignCharacters = [...base64Alphabet]
  .filter((character) => !shortCodeAlphabet.includes(character))
  .join('')
const replacements = shortCodeAlphabet.slice(0, foreignCharacters.length)

/** Returns SQL for the short code of file `n`. */
function codeSql(n: string): string {
  const randomSql = `substr(encode(sha256(('code ' || ${n})::bytea), 'base64'), 1, ${shortCodeLength})`
  return `translate(${randomSql}, '${foreignCharacters}', '${replacements}')`
}

/**
 * Selects the columns of files $1 to $2, or of only every `step`-th one. Files are numbered by
 * upload time, from $5 to $6, and $7 is the current time. Their owners are $4 users, starting with
 * user $3. Upload times are a whole number of days plus up to 21 hours before $7, and links live
 * for whole days. So no link expires in the three hours after $7, and the purge finds nothing.
 * `offset 0` makes Postgres compute each value once.
 */
function filesSql(step = 1): string {
  const firstFile = `($1::bigint + ${step - 1}) / ${step} * ${step}`
  return `(select *, case when is_premium then most else expires end as due,
    case when luck < 0.5 then 0 else least(1000, floor(0.5 / (1.0001 - luck)))::int end as downloads
  from (select *, created + life as expires, created + interval '30 days' as most
  from (select n, luck, kind, bytes, owner, is_premium, $7::timestamptz as now,
    $7::timestamptz - interval '1 day' * floor(age) - interval '21 hours' * (age - floor(age)) as created,
    interval '1 day' * case when is_premium then 3 + 2 * (kind % 3) else 3 end as life
  from generate_series(${firstFile}, $2::bigint, ${step}) n,
    lateral (select bench.draw(n, 1) as luck, 1 + floor(6 * bench.draw(n, 2))::int as kind,
      (1000 * exp(11 * bench.draw(n, 3)))::bigint as bytes,
      $3::bigint + floor($4::int * bench.draw(n, 4))::bigint as owner_number,
      ${uploadPeriodMs / dayInMs} * (1 - (n - $5::bigint)::float8 / ($6::bigint - $5::bigint + 1)) as age) draw,
    lateral (select md5('user ' || owner_number) as owner, owner_number % 5 = 0 as is_premium) person
  offset 0) uploads offset 0) lives) made`
}

const nameSql = `
  (array['Holiday photo ', 'Invoice ', 'Minutes ', 'Contract ', 'Song ', 'Archive '])[kind] || n
    || (array['.jpg', '.pdf', '.txt', '.docx', '.mp3', '.zip'])[kind]`

/**
 * Each statement inserts rows for the files that `filesSql` selects. Files due for a purge are
 * inserted as purged.
 */
const fileRowSql = [
  `insert into links (id, owner_id, short_code, download_count, expiration_days, max_lifetime_days,
      created_at, ready_at, expires_at, max_lifetime_at, notified_expires_at, file_count,
      pending_count, total_size, first_name)
    select bench.uuid('link ' || n), owner, ${codeSql('n')}, downloads, 3, 30, created, created,
      expires, most, expires, 1, 0, bytes, ${nameSql} from ${filesSql()}`,
  `insert into files (id, owner_id, storage, storage_key, original_name, mime_type, size, link_id,
      position, created_at, download_count, last_download_at, upload_duration, sha256,
      is_content_proved, purging_at, purge_due_at, purged_at, purge_tries, purge_at)
    select bench.uuid('file ' || n), owner, 'disk',
      substr(encode(sha256(('key ' || n)::bytea), 'hex'), 1, 26),
      ${nameSql},
      (array['image/jpeg', 'application/pdf', 'text/plain', 'application/msword', 'audio/mpeg',
        'application/zip'])[kind],
      bytes, bench.uuid('link ' || n), 0, created, downloads,
      case when downloads > 0 then created + interval '1 hour' end, 1.5,
      encode(sha256(n::text::bytea), 'hex'), true,
      case when due <= now then due end, case when due <= now then due end,
      case when due <= now then due + interval '1 minute' end, (due <= now)::int, due
    from ${filesSql()}`,
  // A tenth of the files were renewed once. Their first codes stay reserved.
  `insert into short_codes (code, issued_at)
    select ${codeSql('n')}, created from ${filesSql()}
    union all select ${codeSql('-n')}, created from ${filesSql(10)}`,
  `insert into file_downloads (file_id, day, count)
    select bench.uuid('file ' || n), created::date, downloads from ${filesSql()} where downloads > 0`,
  // One deleted file for every ten existing files.
  `insert into deletion_receipts
      (file_id, owner_id, storage, storage_key, original_name, due_at, purged_at)
    select bench.uuid('deleted ' || n), owner, 'disk',
      substr(encode(sha256(('deleted ' || n)::bytea), 'hex'), 1, 26),
      case when created > now - interval '29 days' then 'Report ' || n || '.pdf' end, created, created
    from ${filesSql(10)}`,
  `insert into uploads (owner_id, storage, storage_key, original_name, mime_type, size, link_id,
      position, tier, created_at, last_activity_at)
    select owner, 'disk', substr(encode(sha256(('open ' || n)::bytea), 'hex'), 1, 26), 'Film.mp4',
      'video/mp4', bytes, bench.uuid('link ' || n), 1, case when is_premium then 'premium' else 'free' end,
      now - interval '3 hours' * luck, now - interval '3 hours' * luck
    from ${filesSql(1000)}`,
  `insert into blocked_content (sha256, size, reason, blocked_at)
    select encode(sha256(('blocked ' || n)::bytea), 'hex'), bytes, 'Malware', now
    from ${filesSql(10000)}`,
]

const filledTables = [
  ...['files', 'short_codes', 'file_downloads', 'owner_downloads', 'deletion_receipts', 'users'],
  ...['sessions', 'accounts', 'audit_log', 'preferences', 'branding', 'uploads', 'blocked_content'],
]

/**
 * Creates SQL functions whose pseudorandom results depend only on the arguments: `draw` returns a
 * number from 0 to 1, and `uuid` a UUID.
 */
const createFunctionsSql = `create schema bench;
  create function bench.draw(n bigint, which bigint) returns float8 language sql immutable return
    (hashint8extended(n, which) & 4503599627370495)::float8 / 4503599627370496;
  create function bench.uuid(name text) returns uuid language sql immutable return
    overlay(overlay(md5(name) placing '4' from 13) placing '8' from 17)::uuid`

/** Prepares a new database for `growTo`. */
export async function createFunctions(mayfly: Mayfly): Promise<void> {
  await mayfly.sql(createFunctionsSql)
}

/**
 * Grows the database from `existingCount` to `count` files by adding rows, but no stored bytes. The
 * new files belong to new users, with about 50 files each.
 */
export async function growTo(mayfly: Mayfly, existingCount: number, count: number): Promise<void> {
  const now = new Date()
  const firstUserNumber = existingCount / filesPerUser + 1
  const userCount = (count - existingCount) / filesPerUser
  const inserts: Statements = userRowSql.map((rows) => [
    rows,
    [firstUserNumber, firstUserNumber + userCount - 1, now],
  ])
  for (
    let firstFileNumber = existingCount + 1;
    firstFileNumber <= count;
    firstFileNumber += filesPerStatement
  ) {
    const lastFileNumber = Math.min(firstFileNumber + filesPerStatement - 1, count)
    const values = [
      firstFileNumber,
      lastFileNumber,
      firstUserNumber,
      userCount,
      existingCount + 1,
      count,
      now,
    ]
    for (const rows of fileRowSql) inserts.push([rows, values])
  }
  await fillInBulk(mayfly, filledTables, inserts)
}
