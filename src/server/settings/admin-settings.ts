import { parseCapSettings, type StorageCap } from '../../shared/rules/files/storage-cap.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import {
  checkSetting,
  type SettingKey,
  type SettingValues,
  settingDefaults,
} from '../../shared/rules/tiers/admin-settings.ts'
import { parseLimitSettings } from '../../shared/rules/tiers/limit-settings.ts'
import type { Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { writeAudit } from '../audit/audit-log.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { findSettings, lockSettings, type StoredSetting, writeSetting } from './queries.ts'

/** How long servers and browsers cache the settings (spec §7). */
export const settingsCacheMs = 5 * minuteInMs

/** The settings as text, and the limits and the cap parsed from that text. */
export interface CurrentSettings {
  values: SettingValues
  limits: Limits
  cap: StorageCap
}

export interface AdminSettingsOptions {
  db: Db
  clock: Clock
  supportEmail: string
  /** Called with the current cap whenever the settings have been read from the database. */
  onCap: (cap: StorageCap) => void
}

export interface SettingChange {
  key: SettingKey
  value: string
  description?: string | undefined
  /** The administrator's user id. */
  actor: string
  ipAddress: string
}

/**
 * The administrator's settings, cached for 5 minutes. A change takes effect immediately on the
 * server that makes it, and within 5 minutes on other servers.
 */
export class AdminSettings {
  readonly #db: Db
  readonly #clock: Clock
  readonly #defaults: SettingValues
  readonly #onCap: (cap: StorageCap) => void
  #cached: { settings: Promise<CurrentSettings>; until: number } | null = null

  constructor({ db, clock, supportEmail, onCap }: AdminSettingsOptions) {
    this.#db = db
    this.#clock = clock
    this.#defaults = settingDefaults(supportEmail)
    this.#onCap = onCap
  }

  /** Returns all settings, with defaults for those that were never changed. */
  async read(): Promise<SettingValues> {
    return (await this.current()).values
  }

  /** Returns the current limits of each tier (spec §9). */
  async limits(): Promise<Limits> {
    return (await this.current()).limits
  }

  /** Clears the cache. Call this after committing a change. */
  clearCache(): void {
    this.#cached = null
  }

  /** Reads the settings from the database, to include changes made on other servers. */
  readNow(): Promise<CurrentSettings> {
    this.clearCache()
    return this.current()
  }

  /** Adds the default value of each setting that has no row. */
  withDefaults(storedSettings: readonly Pick<StoredSetting, 'key' | 'value'>[]): SettingValues {
    const entries = storedSettings.map(({ key, value }): [SettingKey, string] => [key, value])
    return { ...this.#defaults, ...Object.fromEntries(entries) }
  }

  async current(): Promise<CurrentSettings> {
    const now = this.#clock().getTime()
    if (this.#cached && now < this.#cached.until) return this.#cached.settings
    const cacheEntry = { settings: this.#load(), until: now + settingsCacheMs }
    this.#cached = cacheEntry
    try {
      const settings = await cacheEntry.settings
      // If the cache was cleared in the meantime, these settings may be outdated, so `onCap` isn't
      // called.
      if (this.#cached === cacheEntry) this.#onCap(settings.cap)
      return settings
    } catch (error) {
      if (this.#cached === cacheEntry) this.#cached = null
      throw error
    }
  }

  /**
   * Changes a setting (spec §7) and writes an audit log entry.
   * @throws {AppError} INVALID_INPUT with the reason if the value isn't allowed.
   */
  async change({
    key,
    value,
    description,
    actor,
    ipAddress,
  }: SettingChange): Promise<StoredSetting> {
    const now = this.#clock()
    const changedSetting = await this.#db.transaction(async (tx) => {
      // Limits are validated against each other, so changes must not run in parallel.
      await lockSettings(tx)
      const storedSettings = await findSettings(tx)
      const validation = checkSetting(key, value, this.withDefaults(storedSettings))
      if (!validation.ok) throw new AppError('INVALID_INPUT', { message: validation.error })
      const setting = await writeSetting(tx, { key, value: validation.value, description }, now)
      const from = storedSettings.find((setting) => setting.key === key)?.value ?? null
      const details = { key, from, to: setting.value }
      await writeAudit(tx, [
        { at: now, actor, action: 'change-setting', subject: null, ipAddress, details },
      ])
      return setting
    })
    this.clearCache()
    return changedSetting
  }

  async #load(): Promise<CurrentSettings> {
    const values = this.withDefaults(await findSettings(this.#db))
    return { values, limits: parseLimitSettings(values), cap: parseCapSettings(values) }
  }
}
