/** Bytes of UTF-8 that a name may take: what common file systems allow. */
const maxFileNameBytes = 255

/** What a file is called that nothing is left of. */
const unnamed = 'file'

// Spec §5: remove box-drawing and block characters, control characters and quote-like marks.
const boxesAndBlocks = /[\u2500-\u259f]/gu
const controls = /\p{Cc}/gu
/** Unicode's quotation marks and what people type for them: accents, primes, ornaments. */
const quotes = /[\p{Quotation_Mark}`´\u2032-\u2037\u2057\u275b-\u275e]/gu

/**
 * What is drawn as nothing and can hide or reorder text: bidirectional controls, zero-width
 * spaces, fillers, tags. The two joiners and the variation selectors stay: Persian, Indic scripts
 * and emoji are written with them.
 */
const hidden = /[\p{Default_Ignorable_Code_Point}--[\p{Join_Control}\p{Variation_Selector}]]/gv
const loneSurrogates = /\p{Surrogate}/gu

// Spec §5: turn dashes into hyphens (the minus sign is one to everybody but Unicode).
const dashes = /[\p{Dash_Punctuation}\u2212]/gu

// Spec §5: remove the characters < > : " / \ | ? *.
const reserved = /[<>:"/\\|?*]/gu

/** Joiners with nothing before them mean nothing; variation selectors change what is before them. */
const edges = /^[\s\p{Join_Control}\p{Variation_Selector}]+|[\s\p{Join_Control}]+$/gu

/** Something a reader can see and that is more than punctuation of a name. */
const visible = /[^\s.\p{Join_Control}\p{Variation_Selector}]/u

/** What follows the last dot, when it is short and has no space; `.tar.gz` and its kin are one. */
const extensionPattern = /(?<=.)(\.tar)?\.[^.\s]{1,32}$/iu

/**
 * The name a file is kept and offered under (spec §5, design §6): cleaned by every rule of the
 * spec, in NFC, without what hides or reorders text, never empty, at most 255 bytes of UTF-8 with
 * its extension kept. Cleaning a clean name changes nothing.
 *
 * Names that Windows reserves (CON, NUL) stay: no path here is ever made from a name, and a browser
 * that saves one renames it where it has to.
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
    // Again, because characters that now stand side by side may compose.
    .normalize('NFC')
  if (!visible.test(cleaned)) return unnamed
  // A dot in front is the user's own (.gitignore) or all that cleaning left of a name (???.png).
  const lostItsStem = cleaned.startsWith('.') && !name.trimStart().startsWith('.')
  return shorten(lostItsStem ? unnamed + cleaned : cleaned)
}

/** Bytes of a well-formed text in UTF-8. */
function byteLength(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/** Takes whole graphemes off the end of the stem until the name fits. */
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
