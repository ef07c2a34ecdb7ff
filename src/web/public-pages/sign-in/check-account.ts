import { regexes } from 'zod/v4/core'
import { maxEmailLength } from '../../../shared/rules/accounts/email-limits.ts'
import { maxNameLength } from '../../../shared/rules/accounts/names.ts'
import { maxPasswordLength, minPasswordLength } from '../../../shared/rules/accounts/password.ts'
import {
  hasVisibleCharacter,
  isPlainLine,
  isStorableText,
} from '../../../shared/rules/format/text.ts'

/** The error message of each invalid field. */
export type FieldErrors<Name extends string> = Partial<Record<Name, string>>

export interface LoginValues {
  email: string
  password: string
}

export interface SignupValues extends LoginValues {
  firstName: string
  lastName: string
  confirmPassword: string
}

/**
 * Validates the login form. The server validates again, with the schema of `POST /api/auth/login`.
 */
export function checkLogin({ email, password }: LoginValues): FieldErrors<keyof LoginValues> {
  return findErrors({ email: checkEmail(email), password: checkText(password, maxPasswordLength) })
}

/** Validates the email address for a password reset. */
export function checkResetEmail({ email }: { email: string }): FieldErrors<'email'> {
  return findErrors({ email: checkEmail(email) })
}

/**
 * Validates the signup form (spec §5). The server validates again, with the schema of `POST
 * /api/auth/signup`.
 */
export function checkSignup(values: SignupValues): FieldErrors<keyof SignupValues> {
  const { firstName, lastName, email, password, confirmPassword } = values
  return findErrors({
    firstName: checkName(firstName),
    lastName: checkName(lastName),
    email: checkEmail(email),
    password:
      checkText(password, maxPasswordLength) ??
      (password.length < minPasswordLength ? 'This password is too short.' : undefined),
    confirmPassword:
      confirmPassword === password
        ? undefined
        : confirmPassword === ''
          ? emptyText
          : "The passwords don't match.",
  })
}

const emptyText = 'Please fill in this field.'

function findErrors<Name extends string>(
  errors: Record<Name, string | undefined>,
): FieldErrors<Name> {
  const entries = Object.entries(errors).filter(([, error]) => error !== undefined)
  return Object.fromEntries(entries) as FieldErrors<Name>
}

function checkText(text: string, maxLength: number) {
  if (text === '') return emptyText
  if (text.length > maxLength) return `Please use at most ${maxLength} characters.`
  return isStorableText(text) ? undefined : 'Must be text.'
}

function checkName(name: string) {
  const text = name.trim()
  const error = checkText(text, maxNameLength)
  if (error !== undefined) return error
  if (!isPlainLine(text)) return 'Must be text.'
  return hasVisibleCharacter(text) ? undefined : 'Must have a visible character.'
}

function checkEmail(email: string) {
  const text = email.trim()
  const isEmail = regexes.email.test(text)
  return (
    checkText(text, maxEmailLength) ?? (isEmail ? undefined : 'Please enter a valid email address.')
  )
}
