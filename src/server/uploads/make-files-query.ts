import { and, eq, inArray, notExists, sql } from 'drizzle-orm'
import { jsonRows } from '../db/json-rows.ts'
import { rowValues, valuesOf } from '../db/row-values.ts'
import { blockedContent, files, shortCodes, uploads, users } from '../db/schema.ts'
import { workTogether } from '../db/together.ts'
import type { Db } from '../deps.ts'
import type { FileRow } from '../files/queries.ts'
import { lockOrder } from './lock-order.ts'

/** The columns of a new file whose values do not come from its upload. */
const facts = [
  'shortCode',
  'createdAt',
  'expiresAt',
  'maxLifetimeAt',
  'uploadDuration',
  'sha256',
  'isContentProved',
] as const satisfies (keyof FileRow)[]

/** The upload that becomes a file, and the facts of that file. */
export type NewFile = Pick<FileRow, (typeof facts)[number]> & { uploadId: string }

/**
 * Returns the function that turns uploads of one owner into files. One statement deletes the
 * uploads, records that their short codes are taken, and inserts the files. The function returns
 * the files by storage key. Uploads that have ended or were started again, and those with blocked
 * content, are left out; if their owner was deleted, all are. If several callers do this at the
 * same time, only one of them gets each file. If a short code was taken before, the whole statement
 * fails.
 *
 * The new rows of the files lock their owner's row against deletion. The statement locks the owner
 * before the uploads, as the deletion of a user does, and the uploads in the order that all
 * statements use. In any other order, two statements could wait for each other.
 */
export function prepareMakeFiles(db: Db) {
  const { placeholder } = sql
  const fact = (name: keyof NewFile) => sql`given.${sql.identifier(name)}`
  const columns = valuesOf(['uploadId', ...facts], (name) => fact(name).as(name))
  const given = db
    .$with('given')
    .as(
      db
        .select(columns)
        .from(jsonRows(placeholder('given'), 'given', files, facts, { uploadId: 'uuid' })),
    )
  const blocked = db
    .select({ sha256: blockedContent.sha256 })
    .from(blockedContent)
    .where(sql`${blockedContent.sha256} = ${fact('sha256')}`)
  const owner = db.$with('owner').as(
    db
      .select({ id: users.id })
      .from(users)
      .where(eq(users.id, placeholder('ownerId')))
      .for('key share'),
  )
  const locked = db.$with('locked').as(
    db
      .select({ id: uploads.id })
      .from(uploads)
      .innerJoin(given, sql`${uploads.id} = ${fact('uploadId')}`)
      .where(
        and(inArray(uploads.ownerId, db.select({ id: owner.id }).from(owner)), notExists(blocked)),
      )
      .orderBy(...lockOrder)
      .for('update', { of: uploads }),
  )
  const ended = db.$with('ended').as(
    db
      .delete(uploads)
      .where(inArray(uploads.id, db.select({ id: locked.id }).from(locked)))
      .returning(),
  )
  const issued = db.$with('issued').as(
    db
      .insert(shortCodes)
      .select(
        sql`select ${fact('shortCode')}, ${fact('createdAt')}
          from ${given} join ${ended} on ${ended.id} = ${fact('uploadId')}`,
      )
      .returning({ code: shortCodes.code }),
  )
  const row = rowValues(files, {
    ownerId: ended.ownerId,
    storage: ended.storage,
    storageKey: ended.storageKey,
    originalName: ended.originalName,
    mimeType: ended.mimeType,
    size: ended.size,
    ...valuesOf(facts, fact),
    shortCode: issued.code,
  })
  const query = db
    .with(given, owner, locked, ended, issued)
    .insert(files)
    .select(
      sql`select ${row} from ${given} join ${ended} on ${ended.id} = ${fact('uploadId')}
        join ${issued} on ${issued.code} = ${fact('shortCode')}`,
    )
    .returning()
    .prepare('make_files')
  return async (
    ownerId: string,
    given: readonly NewFile[],
  ): Promise<ReadonlyMap<string, FileRow>> => {
    if (given.length === 0) return new Map()
    const made = await query.execute({ ownerId, given: JSON.stringify(given) })
    return new Map(made.map((file) => [file.storageKey, file]))
  }
}

type MakeFiles = ReturnType<typeof prepareMakeFiles>

/**
 * Returns a function that does the same as `make`, but calls it less often. Calls for one owner at
 * the same moment are collected, and `make` gets all their files at once. If two ask for a file of
 * the same upload, the first one gets it. `make` must not belong to a
 * transaction, because others would then take part in it.
 */
export function makeFilesTogether(make: MakeFiles): MakeFiles {
  const makeAll = workTogether<NewFile, FileRow | undefined>(async (ownerId, given) => {
    const ofUploads = new Map<string, NewFile>()
    for (const one of given) {
      if (!ofUploads.has(one.uploadId)) ofUploads.set(one.uploadId, one)
    }
    const made = await make(ownerId, [...ofUploads.values()])
    const byCode = new Map([...made.values()].map((file) => [file.shortCode, file]))
    return given.map(({ shortCode }) => byCode.get(shortCode))
  })
  return async (ownerId, given) => {
    const made = await makeAll(ownerId, given)
    return new Map(made.flatMap((file) => (file ? [[file.storageKey, file]] : [])))
  }
}
