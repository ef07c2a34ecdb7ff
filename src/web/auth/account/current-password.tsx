/** The text at the field when the server refuses the current password. */
export const wrongPassword = {
  WRONG_PASSWORD: { currentPassword: 'This is not your password.' },
}

/** An invisible input that tells password managers whose password the form is about. */
export function UsernameForManagers({ email }: { email: string }) {
  return <input type="text" autoComplete="username" value={email} readOnly hidden />
}
