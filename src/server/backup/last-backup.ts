import { eq } from 'drizzle-orm'
import type pg from 'pg'
import { z } from 'zod'
import { settings } from '../db/schema.ts'
import type { Db } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { withTimeout } from '../timeout.ts'

const lastBackupKey = 'last_backup'

const lastBackupSchema = z.object({
  /** The time of the backup's database snapshot. */
  madeAt: z.iso.datetime(),
  /** Number of files whose bytes are in the backup. */
  objects: z.int().nonnegative(),
  /** Number of files left out because their bytes were missing or altered in storage. */
  faults: z.int().nonnegative(),
  /**
   * `command` is our own backup command. `other` is another program's backup, which the operator
   * recorded.
   */
  by: z.enum(['command', 'other']).default('command'),
})
export type LastBackup = z.output<typeof lastBackupSchema>

/** Records a completed backup in the database, unless a newer one is already recorded. */
export async function recordBackup(
  pool: pg.Pool,
  backup: z.input<typeof lastBackupSchema>,
): Promise<void> {
  await pool.query(
    `insert into settings (key, value, updated_at) values ($1, $2, $3)
    on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at
    where settings.updated_at <= excluded.updated_at`,
    [lastBackupKey, JSON.stringify(backup), backup.madeAt],
  )
}

/** Returns the last recorded backup, or null. */
export async function findLastBackup(db: Db): Promise<LastBackup | null> {
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, lastBackupKey))
  return row ? lastBackupSchema.parse(JSON.parse(row.value)) : null
}

/** Returns when a server first used this database, or null if none has. */
export async function findFirstUse(db: Db): Promise<Date | null> {
  const [row] = await db
    .select({ at: settings.updatedAt })
    .from(settings)
    .where(eq(settings.key, 'installation'))
  return row?.at ?? null
}

/** How long a metrics request waits for the database before omitting this metric. */
const readTimeoutMs = 2000

/**
 * Exports the time of the last recorded backup as a metric. Without a backup, the value is 0, which
 * triggers alerts on the backup's age.
 */
export function watchBackups({ db, metrics }: Pick<Deps, 'db' | 'metrics'>): void {
  const lastBackupTime = metrics.gauge(
    'mayfly_last_backup_timestamp_seconds',
    'When the last known backup was made; 0 if none is known.',
  )
  metrics.beforeScrape(async () => {
    const backup = await withTimeout(findLastBackup(db), readTimeoutMs).catch(() => undefined)
    if (backup === undefined) lastBackupTime.remove()
    else lastBackupTime.set(backup === null ? 0 : Date.parse(backup.madeAt) / 1000)
  })
}
