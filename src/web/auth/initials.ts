function firstLetter(word: string): string {
  const [first] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(word)
  return first?.segment.toUpperCase() ?? ''
}

/**
 * Returns one or two letters for a person without a picture: from the first and the last name,
 * otherwise from the email. Accents, flags and joined characters are not split.
 */
export function initials(user: { name: string; email: string }): string {
  const words = user.name.trim().split(/\s+/u).filter(Boolean)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words.slice(0, 1)
  return chosen.map((word) => firstLetter(word ?? '')).join('') || firstLetter(user.email) || '?'
}
