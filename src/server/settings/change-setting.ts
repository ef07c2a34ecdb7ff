import { checkSetting, type SettingKey } from '../../shared/rules/tiers/admin-settings.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { findSettings, type KeptSetting, lockSettings, writeSetting } from './queries.ts'

/** A new value of a setting, and who changes it from which address. */
export interface SettingChange {
  key: SettingKey
  value: string
  description?: string | undefined
  /** The id of the administrator. */
  actor: string
  ipAddress: string
}

/**
 * Changes a setting (spec §7) and writes the change into the audit log. This server uses the new
 * value immediately; other servers use it within `settingsKeptMs`.
 * @throws {AppError} INVALID_INPUT if the value is not allowed, with the limit that it breaks.
 */
export async function changeSetting(
  { clock, db, settings }: Pick<Deps, 'clock' | 'db' | 'settings'>,
  { key, value, description, actor, ipAddress }: SettingChange,
): Promise<KeptSetting> {
  const at = clock()
  const changed = await db.transaction(async (tx) => {
    // Limits depend on one another. So the other limits must not change between the check and the
    // write.
    await lockSettings(tx)
    const kept = await findSettings(tx)
    const verdict = checkSetting(key, value, settings.withDefaults(kept))
    if (!verdict.ok) throw new AppError('INVALID_INPUT', { message: verdict.fault })
    const setting = await writeSetting(tx, { key, value: verdict.value, description }, at)
    const from = kept.find((one) => one.key === key)?.value ?? null
    const details = { key, from, to: setting.value }
    await writeAudit(tx, [
      { at, actor, action: 'change-setting', subject: null, ipAddress, details },
    ])
    return setting
  })
  settings.forget()
  return changed
}
