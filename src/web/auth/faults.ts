import type { z } from 'zod'

type Issues = readonly z.core.$ZodIssue[]

const sentence = (issue: z.core.$ZodIssue, value: string): string => {
  if (value.trim() === '') return 'Please fill in this field.'
  if (issue.code === 'too_big') return `Please use at most ${issue.maximum} characters.`
  if (issue.code === 'invalid_format' && issue.format === 'email') {
    return 'Please enter a valid email address.'
  }
  return issue.message
}

/** What is wrong with each field, in a sentence for the person who typed it: the first fault of each. */
export const faultsByField = <Name extends string>(
  issues: Issues,
  values: Record<Name, string>,
): Partial<Record<Name, string>> => {
  const faults: Partial<Record<Name, string>> = {}
  for (const issue of issues) {
    const name = issue.path[0] as Name
    if (name in values) faults[name] ??= sentence(issue, values[name])
  }
  return faults
}
