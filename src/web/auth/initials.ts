function firstLetter(word: string): string {
  const [first] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(word)
  return first?.segment.toUpperCase() ?? ''
}

/**
 * Returns one or two letters for a person without a picture: of the first and the last name, or
 * else of the email. A letter is a whole grapheme, so accents, flags and joined marks stay
 * complete.
 */
export function initials(user: { name: string; email: string }): string {
  const words = user.name.trim().split(/\s+/u).filter(Boolean)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words.slice(0, 1)
  return chosen.map((word) => firstLetter(word ?? '')).join('') || firstLetter(user.email) || '?'
}
