/**
 * The rights of an account, which are independent of its tier (spec §6). There is one
 * administrator.
 */
export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

export const defaultRole: Role = 'user'
