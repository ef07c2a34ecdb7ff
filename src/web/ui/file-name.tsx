/**
 * Shows a file name on one line. A long name is shortened in the middle to keep its end readable.
 * The full name is in a tooltip and available to screen readers.
 * @param end text after the name that is never shortened, such as ' and 2 more'.
 */
export function FileName({ name, end = '' }: { name: string; end?: string }) {
  const { head, tail } = splitName(name)
  return (
    <span title={name + end} className="block min-w-0">
      <span className="sr-only">{name + end}</span>
      <span aria-hidden="true" dir="auto" className="flex w-fit max-w-full whitespace-pre">
        <span className="min-w-0 shrink-[99999] truncate whitespace-pre">{head}</span>
        <span className="min-w-0 truncate whitespace-pre">{tail}</span>
        {end === '' ? null : <span>{end}</span>}
      </span>
    </span>
  )
}

/**
 * How many characters before the extension stay visible, so that "… v2.pdf" and "… v3.pdf" can be
 * told apart.
 */
const tailLength = 8
/**
 * The maximum length of an extension, including the dot. Longer text after the last dot doesn't
 * count as an extension.
 */
const maxExtensionLength = 12

/**
 * Scripts whose letters join or stack, so that a cut between two letters would change their shape.
 */
const joiningScripts =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Thaana}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

function splitGraphemes(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/**
 * Splits a file name into a head that may be shortened with an ellipsis, and a tail that is always
 * shown: the extension and a few characters before it. `head + tail` is the full name. Letters that
 * join, as in Arabic, are never separated.
 */
export function splitName(name: string): { head: string; tail: string } {
  const dot = name.lastIndexOf('.')
  const extensionAt = dot > 0 && name.length - dot <= maxExtensionLength ? dot : name.length
  const stem = splitGraphemes(name.slice(0, extensionAt))
  const stemEnd = stem.slice(Math.max(0, stem.length - tailLength))
  // A space right after the ellipsis would look like a gap.
  const tail = stemEnd.some((letter) => joiningScripts.test(letter))
    ? ''
    : stemEnd.join('').trimStart()
  const splitAt = extensionAt - tail.length
  return splitAt === 0
    ? { head: name, tail: '' }
    : { head: name.slice(0, splitAt), tail: name.slice(splitAt) }
}

/**
 * Shortens a name to at most `length` characters, with an ellipsis in the middle. `length` must be
 * at least 22, to fit up to 20 characters at the end, the ellipsis, and one character before it.
 */
export function shortName(name: string, length: number): string {
  const characters = splitGraphemes(name)
  if (characters.length <= length) return name
  const tail = splitGraphemes(splitName(name).tail)
  return [...characters.slice(0, Math.max(1, length - 1 - tail.length)), '…', ...tail].join('')
}
