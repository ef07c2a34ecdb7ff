/** Spec §6: what an account may do beside using the product. There is one administrator. */
export const roles = ['user', 'admin'] as const
export type Role = (typeof roles)[number]

/**
 * A stored role as what it is.
 * @throws {RangeError} for a role that this program does not know.
 */
export function readRole(stored: string): Role {
  const role = roles.find((known) => known === stored)
  if (role === undefined) throw new RangeError(`Unknown role: ${stored}`)
  return role
}
