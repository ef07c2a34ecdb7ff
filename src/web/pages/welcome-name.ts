/**
 * Spec §2: returns the first name, or else the part of the email before the at-sign, or else
 * 'User'.
 */
export function welcomeName(user: { firstName?: string; email?: string }): string {
  return user.firstName?.trim() || user.email?.split('@', 1)[0]?.trim() || 'User'
}
