/** What the server's refusal of a current password means at its field. */
export const wrongPassword = {
  WRONG_PASSWORD: { currentPassword: 'This is not your password.' },
}

/** Tells password managers whose password a form is about. Nobody sees it. */
export function UsernameForManagers({ email }: { email: string }) {
  return <input type="text" autoComplete="username" value={email} readOnly hidden />
}
