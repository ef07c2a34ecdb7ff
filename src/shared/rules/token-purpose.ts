/** What a person can do with the link in a mail, and how long that link works, in milliseconds. */
export const tokenLifetimeMs = {
  'reset-password': 60 * 60 * 1000,
  'verify-email': 24 * 60 * 60 * 1000,
} as const

export type TokenPurpose = keyof typeof tokenLifetimeMs
export const tokenPurposes = Object.keys(tokenLifetimeMs) as [TokenPurpose, ...TokenPurpose[]]
