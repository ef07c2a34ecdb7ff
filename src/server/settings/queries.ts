import { eq } from 'drizzle-orm'
import type { SettingKey } from '../../shared/rules/setting-defaults.ts'
import { settings } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** What the administrator set, if anything. */
export const findSetting = async (db: Db, key: SettingKey): Promise<string | undefined> => {
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, key))
  return row?.value
}
