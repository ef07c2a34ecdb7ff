/** The maximum length of a first or last name. */
export const maxNameLength = 100

/**
 * Returns the first name, or else the part of the email address before the @, or else 'User' (spec
 * §2). Uses nothing from outside: the build also copies its text into a page.
 */
export function welcomeName(user: { firstName?: string; email?: string }): string {
  return user.firstName?.trim() || user.email?.split('@', 1)[0]?.trim() || 'User'
}
