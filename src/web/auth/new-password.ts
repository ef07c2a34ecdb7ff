import { minPasswordLength, passwordTooShort } from '../../shared/contract/account.ts'

/** The texts of the two fields for a new password. */
export interface NewPassword {
  newPassword: string
  confirmPassword: string
}

export function isConfirmed({ newPassword, confirmPassword }: NewPassword): boolean {
  return newPassword === confirmPassword
}

/** Spec §5, reset password: two errors of a new password have a toast, checked in this order. */
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
