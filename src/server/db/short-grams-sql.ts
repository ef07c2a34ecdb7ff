import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/**
 * Returns, as SQL, an array of all pieces of one character and of two characters in a text. An
 * index of this array finds texts that contain a short text, for which an index of trigrams is no
 * help. A few elements may come more than once, or be empty.
 *
 * It needs no function of our own: it takes the text apart into characters, then into pairs from
 * the first character on, and then into pairs from the second one on.
 */
export function shortGramsSql(text: SQLWrapper): SQL {
  return sql`(string_to_array(${text}, null) || ${pairs(text)} || ${pairs(sql`substr(${text}, 2)`)})`
}

/** U+001F separates units, so no name and no address contains it. */
const separator = sql.raw('chr(31)')

function pairs(text: SQLWrapper): SQL {
  return sql`string_to_array(regexp_replace(${text}, '(..)', '\\1' || ${separator}, 'g'), ${separator})`
}

/**
 * Returns the pieces of two characters in a text, or the only character. Every text that contains
 * this text has all of them in its `shortGramsSql`.
 */
export function shortGramsOf(text: string): string[] {
  const characters = [...text]
  if (characters.length < 2) return characters
  return [...new Set(characters.slice(1).map((second, at) => `${characters[at]}${second}`))]
}
