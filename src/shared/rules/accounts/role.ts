/** The permissions of an account, regardless of its tier (spec §6). There is one administrator. */
export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

export const defaultRole: Role = 'user'
