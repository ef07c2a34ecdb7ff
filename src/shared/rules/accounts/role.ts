/** Rights of an account apart from its tier (spec §6). There is one administrator. */
export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

/** The role of new accounts. */
export const defaultRole: Role = 'user'
