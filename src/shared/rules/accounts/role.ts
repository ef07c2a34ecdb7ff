/** Spec §6: the rights of an account besides using the product. There is one administrator. */
export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

/** New accounts have this role. */
export const defaultRole: Role = 'user'
