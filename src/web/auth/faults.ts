import type { z } from 'zod'

type Issues = readonly z.core.$ZodIssue[]

/** The texts beside a field. They are shorter than those in the toasts. */
const fieldTexts: Record<string, string> = {
  password: 'This password is too short.',
  confirmPassword: 'This is not the password above.',
}

function sentence(issue: z.core.$ZodIssue, value: string): string {
  if (value.trim() === '') return 'Please fill in this field.'
  if (issue.code === 'too_big') return `Please use at most ${issue.maximum} characters.`
  if (issue.code === 'invalid_format' && issue.format === 'email') {
    return 'Please enter a valid email address.'
  }
  return fieldTexts[issue.path[0] as string] ?? issue.message
}

/** Returns the first error of each field, as a sentence for the person who filled in the form. */
export function faultsByField<Name extends string>(
  issues: Issues,
  values: Record<Name, string>,
): Partial<Record<Name, string>> {
  const faults: Partial<Record<Name, string>> = {}
  for (const issue of issues) {
    const name = issue.path[0] as Name
    if (name in values) faults[name] ??= sentence(issue, values[name])
  }
  return faults
}

/**
 * Returns the faults in a message of the server, by field. Example of such a message: 'email:
 * Invalid email address; password: Must be text.'
 */
export function faultsInMessage<Name extends string>(
  message: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const faults: Partial<Record<Name, string>> = {}
  for (const fault of message.split(/; (?=\w+: )/)) {
    const [, field, text] = /^(\w+): (.+)$/s.exec(fault) ?? []
    const name = names.find((name) => name === field)
    if (name !== undefined && text !== undefined) faults[name] ??= text
  }
  return faults
}
