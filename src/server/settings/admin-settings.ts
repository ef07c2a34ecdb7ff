import { type SettingKey, settingDefaults } from '../../shared/rules/admin-settings.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { findSettings } from './queries.ts'

/** Spec §7: how long a server and a browser keep the settings. */
export const settingsKeptMs = 5 * 60_000

type Values = Readonly<Record<SettingKey, string>>

/**
 * The settings that the administrator can change. They are read from the database every 5 minutes
 * at most. So a change on another server is seen here within that time. A change on this server is
 * seen immediately, because `forget` follows it.
 */
export class AdminSettings {
  readonly #db: Db
  readonly #clock: Clock
  readonly #defaults: Values
  #kept: { values: Promise<Values>; until: number } | null = null

  constructor({ db, clock, supportEmail }: { db: Db; clock: Clock; supportEmail: string }) {
    this.#db = db
    this.#clock = clock
    this.#defaults = settingDefaults(supportEmail)
  }

  /** Returns every setting, each with its default where the administrator has not changed it. */
  async read(): Promise<Values> {
    const now = this.#clock().getTime()
    if (this.#kept && now < this.#kept.until) return this.#kept.values
    const reading = { values: this.#load(), until: now + settingsKeptMs }
    this.#kept = reading
    try {
      return await reading.values
    } catch (error) {
      // The next call asks the database again.
      if (this.#kept === reading) this.#kept = null
      throw error
    }
  }

  /** Makes the next `read` ask the database. Call it after a change is committed. */
  forget(): void {
    this.#kept = null
  }

  async #load(): Promise<Values> {
    const changed = (await findSettings(this.#db)).map(({ key, value }) => [key, value])
    return { ...this.#defaults, ...Object.fromEntries(changed) }
  }
}
