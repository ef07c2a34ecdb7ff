import {
  minPasswordLength,
  passwordHint,
  passwordTooShortText,
} from '../../shared/rules/accounts/password.ts'
import { PasswordField } from '../ui/field.tsx'

interface NewPasswordValues {
  newPassword: string
  confirmPassword: string
}

/** The fields for a new password, which is entered twice. */
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

/** Reports whether both fields contain the same password. */
export function hasMatchingPasswords({ newPassword, confirmPassword }: NewPasswordValues): boolean {
  return newPassword === confirmPassword
}

/**
 * Returns the toast for an invalid new password, or null if it is valid. Errors are checked in the
 * order given in spec §5 for new passwords.
 */
export function newPasswordToast(values: NewPasswordValues) {
  if (!hasMatchingPasswords(values)) {
    return {
      title: "Passwords don't match",
      description: 'Please make sure both password fields match.',
    }
  }
  if (values.newPassword.length >= minPasswordLength) return null
  return { title: 'Password too short', description: passwordTooShortText }
}
