import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { defaultEmailSignature, type SettingKey } from '../../shared/rules/setting-defaults.ts'
import { settings } from '../db/schema.ts'
import type { Db } from '../deps.ts'

/** Returns the value that the administrator set, or undefined. */
export async function findSetting(db: Db, key: SettingKey): Promise<string | undefined> {
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, key))
  return row?.value
}

/**
 * Returns the text that ends every mail of the server, and every mail that a person writes to share
 * a link.
 */
export async function readEmailSignature(db: Db, supportEmail: string): Promise<string> {
  return (await findSetting(db, 'email_signature')) ?? defaultEmailSignature(supportEmail)
}

/** Returns the id of this installation, which the first call makes. All callers get the same id. */
export async function readInstallation(db: Db, now: Date): Promise<string> {
  await db
    .insert(settings)
    .values({ key: 'installation', value: randomUUID(), updatedAt: now })
    .onConflictDoNothing()
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, 'installation'))
  if (!row) throw new Error('settings holds no installation')
  return row.value
}
