/** What the link in a mail lets its reader do, and how long the link works, in milliseconds. */
export const tokenLifetimeMs = {
  'reset-password': 60 * 60 * 1000,
  'verify-email': 24 * 60 * 60 * 1000,
} as const

export type TokenPurpose = keyof typeof tokenLifetimeMs
export const tokenPurposes = Object.keys(tokenLifetimeMs) as [TokenPurpose, ...TokenPurpose[]]
