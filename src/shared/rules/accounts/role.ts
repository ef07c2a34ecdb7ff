/** Spec §6: the rights of an account besides using the product. There is one administrator. */
export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

/** New accounts have this role. */
export const defaultRole: Role = 'user'

/**
 * Turns stored text into a role.
 * @throws {RangeError} for a role that this program does not know.
 */
export function readRole(stored: string): Role {
  const role = roles.find((known) => known === stored)
  if (role === undefined) throw new RangeError(`Unknown role: ${stored}`)
  return role
}
