import { settingDefaults } from '../../shared/rules/setting-defaults.ts'
import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { findSetting, readEmailSignature } from './queries.ts'

/** The routes of the settings that pages show (spec §7). */
export function settingRoutes({
  config,
  db,
}: Pick<Deps, 'config' | 'db'>): Handlers<
  'emailSignature' | 'version' | 'premiumPrice' | 'contact'
> {
  return {
    async emailSignature() {
      return { signature: await readEmailSignature(db, config.supportEmail) }
    },

    async version() {
      return { version: (await findSetting(db, 'app_version')) ?? settingDefaults.app_version }
    },

    async premiumPrice() {
      const price = (await findSetting(db, 'premium_price')) ?? settingDefaults.premium_price
      return { price: Number(price) }
    },

    async contact() {
      return { supportEmail: config.supportEmail }
    },
  }
}
