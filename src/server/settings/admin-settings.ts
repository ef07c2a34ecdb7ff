import { type SettingKey, settingDefaults } from '../../shared/rules/admin-settings.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { findSettings } from './queries.ts'

/** Spec §7: after this time, a server and a browser read the settings again. */
export const settingsKeptMs = 5 * 60_000

type Values = Readonly<Record<SettingKey, string>>

/**
 * The settings that the administrator can change. They are read from the database every 5 minutes
 * at most. So this server uses a change that was made on another one after 5 minutes at the latest.
 * A change on this server is used immediately, because its code calls `forget`.
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

  /** Returns every setting. Where the administrator has not changed one, it has its default. */
  async read(): Promise<Values> {
    const now = this.#clock().getTime()
    if (this.#kept && now < this.#kept.until) return this.#kept.values
    const reading = { values: this.#load(), until: now + settingsKeptMs }
    this.#kept = reading
    try {
      return await reading.values
    } catch (error) {
      // The read failed, so the next call reads again.
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
