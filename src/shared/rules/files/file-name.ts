/** Maximum length of a name in UTF-8 bytes. Common file systems have the same limit. */
export const maxFileNameBytes = 255

/** Used if cleaning leaves nothing of a name. */
const fallbackName = 'file'

// Spec §5: remove box-drawing and block characters, control characters and quote-like marks.
const boxesAndBlocks = /[\u2500-\u259f]/gu
const controlCharacters = /\p{Cc}/gu
/** Unicode quotation marks and characters used in their place: accents, primes and ornaments. */
const quotes = /[\p{Quotation_Mark}`´\u2032-\u2037\u2057\u275b-\u275e]/gu

/**
 * Invisible characters that can hide or reorder text: bidirectional controls, zero-width spaces,
 * fillers and tags. Joiners and variation selectors aren't included, because Persian, Indic scripts
 * and emoji need them.
 */
const hiddenCharacters =
  /[\p{Default_Ignorable_Code_Point}--[\p{Join_Control}\p{Variation_Selector}]]/gv
const loneSurrogates = /\p{Surrogate}/gu

// Spec §5: replace dashes with hyphens. This includes the minus sign, which is used as a dash too.
const dashes = /[\p{Dash_Punctuation}\u2212]/gu

// Spec §5: remove the characters < > : " / \ | ? *.
const reservedCharacters = /[<>:"/\\|?*]/gu

/**
 * Whitespace, blank braille patterns and joiners have no effect at the ends of a name. Variation
 * selectors modify the preceding character, so they are removed only at the start. The lookbehind
 * avoids quadratic time for long runs of joiners.
 */
const edgeCharacters =
  /^[\s\u2800\p{Join_Control}\p{Variation_Selector}]+|(?<![\s\u2800\p{Join_Control}])[\s\u2800\p{Join_Control}]+$/gu

/** A visible character other than a dot. U+2800 is the blank braille pattern. */
const visibleCharacter = /[^\s.\u2800\p{Join_Control}\p{Variation_Selector}]/u

/** An extension is short and has no spaces. `.tar.gz` and the like count as one extension. */
const extensionPattern = /(?<=.)(\.tar)?\.[^.\s]{1,32}$/iu

/**
 * Returns the name under which a file is stored and downloaded (spec §5, design §6): cleaned as the
 * spec requires, in NFC, and without characters that hide or reorder text. It is never empty, has
 * at most 255 bytes in UTF-8, and keeps its extension. Idempotent.
 *
 * Names that Windows reserves, such as CON and NUL, are allowed, because the server never builds
 * paths from file names, and browsers rename such files when saving them.
 */
export function cleanFileName(name: string): string {
  const cleanedName = name
    .replace(loneSurrogates, '')
    .normalize('NFC')
    .replace(boxesAndBlocks, '')
    .replace(controlCharacters, '')
    .replace(quotes, '')
    .replace(hiddenCharacters, '')
    .replace(dashes, '-')
    .replace(reservedCharacters, '')
    // Spec §5: collapse runs of whitespace into one space.
    .replace(/\s+/gu, ' ')
    .replace(edgeCharacters, '')
    .replace(/^\.+/u, '.')
    // Removing characters may have put a combining accent next to a letter, so normalize again.
    .normalize('NFC')
  if (!visibleCharacter.test(cleanedName)) return fallbackName
  // Either the original name begins with a dot (.gitignore), or cleaning removed everything before
  // the extension (???.png). Only the latter needs a replacement.
  const hasLostStem = cleanedName.startsWith('.') && !name.trimStart().startsWith('.')
  return insertBeforeExtension(hasLostStem ? fallbackName + cleanedName : cleanedName, '')
}

/** Returns the length in UTF-8 bytes of text without lone surrogates. */
function byteLength(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/**
 * Inserts text before a name's extension. The result has at most 255 bytes: if necessary, shortens
 * the part before the text, and never cuts a grapheme in two.
 */
export function insertBeforeExtension(name: string, text: string): string {
  const extension = extensionPattern.exec(name)?.[0] ?? ''
  const stem = name.slice(0, name.length - extension.length)
  const maxStemBytes = maxFileNameBytes - byteLength(text) - byteLength(extension)
  return shortenStem(stem, maxStemBytes) + text + extension
}

function shortenStem(stem: string, maxBytes: number): string {
  if (byteLength(stem) <= maxBytes) return stem
  let bytesLeft = maxBytes
  let shortened = ''
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { segment } of graphemes.segment(stem)) {
    bytesLeft -= byteLength(segment)
    if (bytesLeft < 0) break
    shortened += segment
  }
  shortened = shortened.trimEnd()
  return visibleCharacter.test(shortened) ? shortened : fallbackName
}
