import { minPasswordLength, passwordHint, passwordTooShort } from '../../shared/contract/account.ts'
import { PasswordField } from '../ui/field.tsx'

/** The texts of the two fields for a new password. */
interface NewPassword {
  newPassword: string
  confirmPassword: string
}

/** The fields of a new password, which is typed twice. */
export function NewPasswordFields({ confirmLabel }: { confirmLabel: string }) {
  return (
    <>
      <PasswordField
        label="New password"
        name="newPassword"
        autoComplete="new-password"
        hint={passwordHint}
        required
      />
      <PasswordField
        label={confirmLabel}
        name="confirmPassword"
        autoComplete="new-password"
        required
      />
    </>
  )
}

/** Tells whether the password was typed twice in the same way. */
export function isConfirmed({ newPassword, confirmPassword }: NewPassword): boolean {
  return newPassword === confirmPassword
}

/**
 * Returns the toast for an error in a new password; null if there is none. The errors are checked
 * in the order of spec §5, new password.
 */
export function newPasswordToast(values: NewPassword) {
  if (!isConfirmed(values)) {
    return {
      title: "Passwords don't match",
      description: 'Please make sure both password fields match.',
    }
  }
  if (values.newPassword.length >= minPasswordLength) return null
  return { title: 'Password too short', description: passwordTooShort }
}
