/** The value of each setting until the administrator changes it (spec §3 and §9). */
export const settingDefaults = {
  // Spec §9: premium price, default $8 per month.
  premium_price: '8',
  // Spec §9: default version text.
  app_version: 'v0.9.10',
} as const

export type SettingKey = keyof typeof settingDefaults | 'email_signature'

/**
 * Returns the default signature under mails that share a link: the product's name, a line about it,
 * and the address for help (spec §9).
 */
export function defaultEmailSignature(supportEmail: string): string {
  return `Mayfly\nSecure file sharing with links that expire\n${supportEmail}`
}
