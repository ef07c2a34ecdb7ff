const list = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/** Returns the choices in words: '3, 5 or 7'. */
export function anyOf(choices: readonly (string | number)[]): string {
  return list.format(choices.map(String))
}
