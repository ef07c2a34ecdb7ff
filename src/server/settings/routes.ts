import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'

/** The endpoints that read and change settings (spec §7). */
export function settingRoutes({ config, settings }: Pick<Deps, 'config' | 'settings'>) {
  return {
    emailSignature: async () => ({ signature: (await settings.read()).email_signature }),
    version: async () => ({ version: (await settings.read()).app_version }),
    premiumPrice: async () => ({ price: Number((await settings.read()).premium_price) }),
    limits: () => settings.limits(),
    contact: () => ({ supportEmail: config.supportReceivesEmail ? config.supportEmail : null }),
    async features() {
      const { requests, send_by_email: sendByEmail } = await settings.read()
      return { requests, sendByEmail }
    },
    adminSettings: async () => ({ values: (await settings.readNow()).values }),
    changeSetting: ({ body, user, clientAddress }) =>
      settings.change({ ...body, actor: user.id, ipAddress: clientAddress }),
  } satisfies Partial<Handlers>
}
