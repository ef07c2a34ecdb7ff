import { readCap, type StorageCap } from '../../shared/rules/files/storage-cap.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import {
  checkSetting,
  type SettingKey,
  type SettingValues,
  settingDefaults,
} from '../../shared/rules/tiers/admin-settings.ts'
import { readLimits } from '../../shared/rules/tiers/limit-settings.ts'
import type { Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { findSettings, type KeptSetting, lockSettings, writeSetting } from './queries.ts'

/** Spec §7: after this time, a server and a browser read the settings again. */
export const settingsKeptMs = 5 * minuteInMs

/** All current settings, as text and as the limits and the cap that they mean. */
export interface CurrentSettings {
  values: SettingValues
  limits: Limits
  cap: StorageCap
}

export interface AdminSettingsOptions {
  db: Db
  clock: Clock
  supportEmail: string
  /** Is called with the cap each time the settings have been read, unless they are old already. */
  onCap: (cap: StorageCap) => void
}

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
 * The settings that the administrator can change. What was read from the database is kept for 5
 * minutes. The server that makes a change calls `forget`; the others see it within that time.
 */
export class AdminSettings {
  readonly #db: Db
  readonly #clock: Clock
  readonly #defaults: SettingValues
  readonly #onCap: (cap: StorageCap) => void
  #kept: { settings: Promise<CurrentSettings>; until: number } | null = null

  constructor({ db, clock, supportEmail, onCap }: AdminSettingsOptions) {
    this.#db = db
    this.#clock = clock
    this.#defaults = settingDefaults(supportEmail)
    this.#onCap = onCap
  }

  /** Returns every setting. Where the administrator has not changed one, it has its default. */
  async read(): Promise<SettingValues> {
    return (await this.current()).values
  }

  /** Returns the current limits of each tier (spec §9). */
  async limits(): Promise<Limits> {
    return (await this.current()).limits
  }

  /**
   * Makes the next call that returns settings ask the database. Call this after a change of a
   * setting is committed.
   */
  forget(): void {
    this.#kept = null
  }

  /**
   * Reads the settings from the database now. So it finds a change that was made on another server,
   * and this server uses it from then on.
   */
  readNow(): Promise<CurrentSettings> {
    this.forget()
    return this.current()
  }

  /**
   * Returns all settings: the given ones, which the administrator changed, and else the defaults.
   */
  withDefaults(changed: readonly Pick<KeptSetting, 'key' | 'value'>[]): SettingValues {
    const entries = changed.map(({ key, value }): [SettingKey, string] => [key, value])
    return { ...this.#defaults, ...Object.fromEntries(entries) }
  }

  /** Returns all current settings. */
  async current(): Promise<CurrentSettings> {
    const now = this.#clock().getTime()
    if (this.#kept && now < this.#kept.until) return this.#kept.settings
    const reading = { settings: this.#load(), until: now + settingsKeptMs }
    this.#kept = reading
    try {
      const settings = await reading.settings
      // If `forget` was called during this read, its settings may be old, so the cap is not used.
      if (this.#kept === reading) this.#onCap(settings.cap)
      return settings
    } catch (error) {
      // The read failed, so the next call reads again.
      if (this.#kept === reading) this.#kept = null
      throw error
    }
  }

  /**
   * Changes a setting (spec §7) and writes the change into the audit log. This server uses the new
   * value immediately; other servers use it within `settingsKeptMs`.
   * @throws {AppError} INVALID_INPUT if the value is not allowed, with the limit that it breaks.
   */
  async change({ key, value, description, actor, ipAddress }: SettingChange): Promise<KeptSetting> {
    const at = this.#clock()
    const changed = await this.#db.transaction(async (tx) => {
      // Limits depend on one another. So the other limits must not change between the check and the
      // write.
      await lockSettings(tx)
      const kept = await findSettings(tx)
      const verdict = checkSetting(key, value, this.withDefaults(kept))
      if (!verdict.ok) throw new AppError('INVALID_INPUT', { message: verdict.fault })
      const setting = await writeSetting(tx, { key, value: verdict.value, description }, at)
      const from = kept.find((one) => one.key === key)?.value ?? null
      const details = { key, from, to: setting.value }
      await writeAudit(tx, [
        { at, actor, action: 'change-setting', subject: null, ipAddress, details },
      ])
      return setting
    })
    this.forget()
    return changed
  }

  async #load(): Promise<CurrentSettings> {
    const values = this.withDefaults(await findSettings(this.#db))
    return { values, limits: readLimits(values), cap: readCap(values) }
  }
}
