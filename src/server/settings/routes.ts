import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { changeSetting } from './change-setting.ts'

/** The calls that read settings, and the call that changes one (spec §7). */
export function settingRoutes(
  deps: Pick<Deps, 'clock' | 'config' | 'db' | 'settings'>,
): Handlers<
  | 'emailSignature'
  | 'version'
  | 'premiumPrice'
  | 'limits'
  | 'contact'
  | 'adminSettings'
  | 'changeSetting'
> {
  const { config, settings } = deps
  return {
    emailSignature: async () => ({ signature: (await settings.read()).email_signature }),
    version: async () => ({ version: (await settings.read()).app_version }),
    premiumPrice: async () => ({ price: Number((await settings.read()).premium_price) }),
    limits: () => settings.limits(),
    contact: () => ({ supportEmail: config.supportGetsMail ? config.supportEmail : null }),
    adminSettings: async () => ({ values: (await settings.readNow()).values }),
    changeSetting: ({ body, user, clientAddress }) =>
      changeSetting(deps, { ...body, actor: user.id, ipAddress: clientAddress }),
  }
}
