/** The most bytes of UTF-8 that a name may have. Common file systems allow no more. */
export const maxFileNameBytes = 255

/** The name of a file when cleaning removes every character of its own name. */
const unnamed = 'file'

// Spec §5: remove box-drawing and block characters, control characters and quote-like marks.
const boxesAndBlocks = /[\u2500-\u259f]/gu
const controls = /\p{Cc}/gu
/**
 * Unicode's quotation marks, and the signs that people type instead: accents, primes, ornaments.
 */
const quotes = /[\p{Quotation_Mark}`´\u2032-\u2037\u2057\u275b-\u275e]/gu

/**
 * Invisible characters that can hide or reorder text: bidirectional controls, zero-width spaces,
 * fillers, tags. The two joiners and the variation selectors are kept, because Persian, Indic
 * scripts and emoji need them.
 */
const hidden = /[\p{Default_Ignorable_Code_Point}--[\p{Join_Control}\p{Variation_Selector}]]/gv
const loneSurrogates = /\p{Surrogate}/gu

// Spec §5: turn dashes into hyphens. People type the minus sign as a dash too, so it is included.
const dashes = /[\p{Dash_Punctuation}\u2212]/gu

// Spec §5: remove the characters < > : " / \ | ? *.
const reserved = /[<>:"/\\|?*]/gu

/**
 * White space, blank braille cells and joiners have no effect at the ends of a name. Variation
 * selectors change the character before them, so they are removed only at the start. The lookbehind
 * keeps a long run of joiners from taking quadratic time.
 */
const edges =
  /^[\s\u2800\p{Join_Control}\p{Variation_Selector}]+|(?<![\s\u2800\p{Join_Control}])[\s\u2800\p{Join_Control}]+$/gu

/** A character that a reader can see, other than a dot. U+2800 is a braille cell without dots. */
const visible = /[^\s.\u2800\p{Join_Control}\p{Variation_Selector}]/u

/**
 * The extension of a name: the text from the last dot on, if it is short and has no space. Endings
 * such as `.tar.gz` count as one extension.
 */
const extensionPattern = /(?<=.)(\.tar)?\.[^.\s]{1,32}$/iu

/**
 * Returns the name under which a file is stored and offered (spec §5, design §6). The name is
 * cleaned by every rule of the spec, is in NFC, and has no characters that hide or reorder text. It
 * is never empty, and at most 255 bytes of UTF-8; its extension is kept. Cleaning a clean name
 * changes nothing.
 *
 * Names that Windows reserves (CON, NUL) are not changed: the server makes no path from a name, and
 * browsers rename such a file when they save it.
 */
export function cleanFileName(name: string): string {
  const cleaned = name
    .replace(loneSurrogates, '')
    .normalize('NFC')
    .replace(boxesAndBlocks, '')
    .replace(controls, '')
    .replace(quotes, '')
    .replace(hidden, '')
    .replace(dashes, '-')
    .replace(reserved, '')
    // Spec §5: collapse runs of whitespace to one space.
    .replace(/\s+/gu, ' ')
    .replace(edges, '')
    .replace(/^\.+/u, '.')
    // Normalise again: the removal may have put a letter and an accent side by side, which now
    // become one character.
    .normalize('NFC')
  if (!visible.test(cleaned)) return unnamed
  // A leading dot is either the user's own (.gitignore), or everything before the extension was
  // removed (???.png). Only in the second case a new name is put before the dot.
  const lostItsStem = cleaned.startsWith('.') && !name.trimStart().startsWith('.')
  return shorten(lostItsStem ? unnamed + cleaned : cleaned)
}

/** Returns the length of a well-formed text in bytes of UTF-8. */
function byteLength(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/**
 * Removes whole characters, as a reader sees them, before the extension until the name has at most
 * 255 bytes.
 */
function shorten(name: string): string {
  if (byteLength(name) <= maxFileNameBytes) return name
  const extension = extensionPattern.exec(name)?.[0] ?? ''
  let room = maxFileNameBytes - byteLength(extension)
  let stem = ''
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { segment } of graphemes.segment(name.slice(0, name.length - extension.length))) {
    room -= byteLength(segment)
    if (room < 0) break
    stem += segment
  }
  stem = stem.trimEnd()
  return (visible.test(stem) ? stem : unnamed) + extension
}
