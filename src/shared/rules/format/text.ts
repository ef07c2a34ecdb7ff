/**
 * True if Postgres can store the text unchanged, which requires that it has no NUL and no lone
 * surrogates.
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/**
 * True if the text is a single line without control characters or bidirectional controls, which
 * could mislead people who read it in emails, lists or logs.
 */
export function isPlainLine(text: string): boolean {
  return isStorableText(text) && !/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(text)
}

/** True if the text has a visible character. U+2800 is the blank braille pattern. */
export function hasVisibleCharacter(text: string): boolean {
  return /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}
