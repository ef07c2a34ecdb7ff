import { Violation } from './expected-file.ts'
import type { StoredBytes } from './stored-bytes.ts'
import type { Witness } from './witness.ts'

/**
 * Compares the database with the stored files. Call it after all jobs have run, while no upload is
 * under way.
 * @throws {Violation} if bytes are missing or are there without a row, or if the sums that limits
 * and caps use are wrong.
 */
export async function checkStored(witness: Witness, stored: StoredBytes): Promise<void> {
  const sizes = await stored.sealed()
  const { rows } = await witness.query<{ key: string; size: string; kept: boolean }>(
    `select storage_key as key, size, purging_at is null and deleted_at is null as kept from files`,
  )
  for (const { key, size, kept } of rows) {
    const found = sizes.get(key)
    if (kept && found !== Number(size)) {
      throw new Violation(`${key} has ${found ?? 'no'} bytes stored, not ${size}`)
    }
  }
  const uploads = await witness.query<{ key: string }>('select storage_key as key from uploads')
  const named = new Set([...rows, ...uploads.rows].map(({ key }) => key))
  for (const key of sizes.keys()) {
    if (!named.has(key)) throw new Violation(`bytes of ${key} are stored, and no row names them`)
  }
}

/**
 * Checks that the store has no bytes of files that the server says it has purged.
 * @throws {Violation} if it has.
 */
export async function checkPurged(witness: Witness, stored: StoredBytes): Promise<void> {
  const { rows } = await witness.query<{ key: string }>(
    `select storage_key as key from files where purged_at is not null
     union all select storage_key from deletion_receipts`,
  )
  const found = new Set([...(await stored.sealed()).keys(), ...(await stored.arriving())])
  for (const { key } of rows) {
    if (found.has(key)) throw new Violation(`${key} is purged, but its bytes remain`)
  }
}

/**
 * Checks that some row names all stored bytes. Call it after jobs have removed what was due, while
 * no upload is under way, and before the comparison, which removes bytes that no row names.
 * @throws {Violation} if no row names them.
 */
export async function checkNamed(witness: Witness, stored: StoredBytes): Promise<void> {
  const { rows } = await witness.query<{ key: string }>(
    `select storage_key as key from files union all select storage_key from uploads
     union all select storage_key from removals`,
  )
  const named = new Set(rows.map(({ key }) => key))
  const arriving = stored.mayBeginLate ? [] : await stored.arriving()
  for (const key of [...(await stored.sealed()).keys(), ...arriving]) {
    if (!named.has(key)) throw new Violation(`${key} is stored, and no row names it`)
  }
}

/**
 * Checks that the store contains nothing of an upload that has ended. Call it after all jobs have
 * run, while no upload is under way.
 * @throws {Violation} if bytes or a list of parts are still there.
 */
export async function checkArriving(witness: Witness, stored: StoredBytes): Promise<void> {
  const { rows } = await witness.query<{ key: string }>('select storage_key as key from uploads')
  const open = new Set(rows.map(({ key }) => key))
  for (const key of await stored.arriving()) {
    if (!open.has(key)) throw new Violation(`parts of ${key} are left, and no upload names it`)
  }
}

/**
 * Checks that nothing that should be removed waits for its removal. Call it after all jobs have run
 * twice, with a day in between.
 * @throws {Violation} if a purge has begun and has not ended, or a row of `removals` is left.
 */
export async function checkRemoved(witness: Witness): Promise<void> {
  const { rows } = await witness.query<{ count: string }>(
    `select (select count(*) from files where purging_at is not null and purged_at is null)
       + (select count(*) from removals) as count`,
  )
  if (rows[0]?.count !== '0') throw new Violation(`${rows[0]?.count} removals were not carried out`)
}

/**
 * Checks that no free user has more than `mostFiles` files whose links were open all the time.
 * `latest` is the latest moment that the server's clock has ever shown. A link that was over by
 * then may open once more when the clock is set back, although another file has its place.
 * @throws {Violation} if one has more.
 */
export async function checkFreeLimit(
  witness: Witness,
  latest: Date,
  mostFiles: number,
): Promise<void> {
  const { rows } = await witness.query<{ count: string }>(
    `select count(*) from files join users on users.id = files.owner_id
     where users.tier = 'free' and files.deleted_at is null and files.expires_at > $1
     group by users.id having count(*) > $2`,
    [latest, mostFiles],
  )
  const [row] = rows
  if (row) throw new Violation(`a free user has ${row.count} files, and ${mostFiles} are allowed`)
}
