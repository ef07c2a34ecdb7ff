import { eq } from 'drizzle-orm'
import type pg from 'pg'
import { z } from 'zod'
import { settings } from '../db/schema.ts'
import type { Db } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { withTimeout } from '../timeout.ts'

/** The key of the row in `settings` that holds the facts about the last backup. */
const lastBackupKey = 'last_backup'

const lastBackup = z.object({
  /** The moment of the rows in the backup. */
  madeAt: z.iso.datetime(),
  /** How many files the backup has the bytes of. */
  objects: z.int().nonnegative(),
  /** How many files it lacks, because their bytes were missing in storage or altered there. */
  faults: z.int().nonnegative(),
  /** `other`: another program made it, and the operator had that noted. */
  by: z.enum(['command', 'other']).default('command'),
})
export type LastBackup = z.output<typeof lastBackup>

/** Notes in the database that a backup is complete. An older one is not noted over a newer one. */
export async function noteBackup(pool: pg.Pool, made: z.input<typeof lastBackup>): Promise<void> {
  await pool.query(
    `insert into settings (key, value, updated_at) values ($1, $2, $3)
    on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at
    where settings.updated_at <= excluded.updated_at`,
    [lastBackupKey, JSON.stringify(made), made.madeAt],
  )
}

/** Returns the facts about the last backup, or null if none was noted. */
export async function findLastBackup(db: Db): Promise<LastBackup | null> {
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, lastBackupKey))
  return row ? lastBackup.parse(JSON.parse(row.value)) : null
}

/** Returns when the first server used this database, or null if none has. */
export async function findFirstUse(db: Db): Promise<Date | null> {
  const [row] = await db
    .select({ at: settings.updatedAt })
    .from(settings)
    .where(eq(settings.key, 'installation'))
  return row?.at ?? null
}

/** A scrape waits this long for the database. After that, it leaves out the metric. */
const readMs = 2000

/**
 * Adds the time of the last known backup to the metrics. It is 0 if there is none, so that an alert
 * on its age also fires then.
 */
export function watchBackups({ db, metrics }: Pick<Deps, 'db' | 'metrics'>): void {
  const made = metrics.gauge(
    'mayfly_last_backup_timestamp_seconds',
    'When the last known backup was made; 0 if none is known.',
  )
  metrics.beforeScrape(async () => {
    made.remove()
    const found = await withTimeout(findLastBackup(db), readMs).catch(() => undefined)
    if (found === undefined) return
    made.set(found === null ? 0 : Date.parse(found.madeAt) / 1000)
  })
}
