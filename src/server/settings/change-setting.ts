import { checkSetting, type SettingKey } from '../../shared/rules/admin-settings.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { type KeptSetting, writeSetting } from './queries.ts'

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
 * value immediately, other servers within 5 minutes.
 * @throws {AppError} INVALID_INPUT if the value is not allowed, with the limit that it breaks.
 */
export async function changeSetting(
  { clock, db, settings }: Pick<Deps, 'clock' | 'db' | 'settings'>,
  { key, value, description, actor, ipAddress }: SettingChange,
): Promise<KeptSetting> {
  const verdict = checkSetting(key, value)
  if (!verdict.ok) throw new AppError('INVALID_INPUT', { message: verdict.fault })
  const at = clock()
  const changed = await db.transaction(async (tx) => {
    const { setting, before } = await writeSetting(
      tx,
      { key, value: verdict.value, description },
      at,
    )
    const details = { key, from: before, to: setting.value }
    await writeAudit(tx, [
      { at, actor, action: 'change-setting', subject: null, ipAddress, details },
    ])
    return setting
  })
  settings.forget()
  return changed
}
