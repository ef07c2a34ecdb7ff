/**
 * Spec §2: returns the first name. Without it, returns the part of the email before the @, and
 * without that 'User'.
 */
export function welcomeName(user: { firstName?: string; email?: string }): string {
  return user.firstName?.trim() || user.email?.split('@', 1)[0]?.trim() || 'User'
}
