/** Returns a person's name as Better Auth keeps it beside its two parts. */
export function fullName({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return `${firstName} ${lastName}`.trim()
}
