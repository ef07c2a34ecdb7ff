import { randomUUID } from 'node:crypto'
import { eq, inArray, sql } from 'drizzle-orm'
import { type SettingKey, settingKeys } from '../../shared/rules/tiers/admin-settings.ts'
import { settings } from '../db/schema.ts'
import type { Db } from '../db/transaction.ts'

/** A stored setting (spec §3). */
export interface StoredSetting {
  key: SettingKey
  value: string
  description: string
}

/** Returns the settings that have a row. All others have their default values. */
export async function findSettings(db: Db): Promise<StoredSetting[]> {
  const rows = await db
    .select({ key: settings.key, value: settings.value, description: settings.description })
    .from(settings)
    .where(inArray(settings.key, [...settingKeys]))
  return rows as StoredSetting[]
}

/**
 * Locks the whole table against other writers, because a setting without a row can't be locked
 * individually.
 */
export function lockSettings(tx: Db): Promise<unknown> {
  return tx.execute(sql`lock table ${settings} in share row exclusive mode`)
}

/** Writes a setting and returns it. If no description is given, keeps the old one. */
export async function writeSetting(
  tx: Db,
  setting: { key: SettingKey; value: string; description?: string | undefined },
  now: Date,
): Promise<StoredSetting> {
  const { key, value, description } = setting
  const changedColumns = {
    value,
    updatedAt: now,
    ...(description === undefined ? {} : { description }),
  }
  const [row] = await tx
    .insert(settings)
    .values({ key, ...changedColumns })
    .onConflictDoUpdate({ target: settings.key, set: changedColumns })
    .returning({ description: settings.description })
  return { key, value, description: row?.description ?? '' }
}

/** Returns the installation id. The first call generates it. */
export async function readInstallation(db: Db, now: Date): Promise<string> {
  await db
    .insert(settings)
    .values({ key: 'installation', value: randomUUID(), updatedAt: now })
    .onConflictDoNothing()
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, 'installation'))
  if (!row) throw new Error('The settings have no installation id')
  return row.value
}
