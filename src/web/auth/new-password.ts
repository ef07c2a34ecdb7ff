import { minPasswordLength, passwordTooShort } from '../../shared/contract/account.ts'

/** The texts of the two fields for a new password. */
export interface NewPassword {
  newPassword: string
  confirmPassword: string
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
  if (values.newPassword.length < minPasswordLength) {
    return {
      title: 'Password too short',
      description: passwordTooShort,
    }
  }
  return null
}
