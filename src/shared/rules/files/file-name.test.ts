import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../../tests/support/any-text.ts'
import { cleanFileName, insertBeforeExtension } from './file-name.ts'

function byteLength(text: string) {
  return Buffer.byteLength(text, 'utf8')
}
const familyEmoji = '👩‍👩‍👧'

describe('cleanFileName, rule by rule', () => {
  it.each([
    // Box-drawing and block characters are removed.
    ['┌─┐report│└─┘█▓░.pdf', 'report.pdf'],
    // Control characters are removed, including tab and line feed.
    ['a\u0000b\u0007c\u007fd\u0085e.txt', 'abcde.txt'],
    ['one\ttwo\r\nthree.txt', 'onetwothree.txt'],
    // Quote-like marks are removed.
    [`"a" 'b' \`c\` ´d´ “e” ‘f’ „g‟ ‚h‛ «i» ‹j› ′k″.txt`, 'a b c d e f g h i j k.txt'],
    ["it’s Bob's.txt", 'its Bobs.txt'],
    ['「資料」＂x＂.txt', '資料x.txt'],
    // A run of whitespace becomes a single space.
    ['a   b \u00a0\u2003\u3000 c.txt', 'a b c.txt'],
    // Dashes become hyphens.
    ['a–b—c―d‐e‑f‒g−h﹣i－j⸺k.txt', 'a-b-c-d-e-f-g-h-i-j-k.txt'],
    // These characters are removed: < > : " / \ | ? *
    ['a<b>c:d"e/f\\g|h?i*j.txt', 'abcdefghij.txt'],
    // Whitespace at either end is removed.
    ['  name.txt  ', 'name.txt'],
    ['* name.txt ?', 'name.txt'],
    // Names are normalized to NFC.
    ['Cafe\u0301.txt', 'Café.txt'],
    ['e"\u0301.txt', 'é.txt'],
    // U+1FEF normalizes to a grave accent, which is a quote-like mark.
    ['a\u1fefb.txt', 'ab.txt'],
  ])('%j becomes %j', (name, cleanName) => {
    expect(cleanFileName(name)).toBe(cleanName)
  })
})

describe('cleanFileName neutralizes', () => {
  it.each([
    ['bidirectional override', 'invoice\u202egpj.exe', 'invoicegpj.exe'],
    ['bidirectional isolates and marks', '\u2066a\u2069\u200e\u200f\u061cb.txt', 'ab.txt'],
    ['zero-width characters', 'a\u200bb\u2060c\ufeffd\u00ade.txt', 'abcde.txt'],
    ['Hangul fillers and tags', 'a\u3164b\u{e0041}c.txt', 'abc.txt'],
    ['lone surrogates', '\ud83da\udc00.txt', 'a.txt'],
    ['path traversal', '../../etc/passwd', '.etcpasswd'],
    ['Windows path traversal', '..\\..\\boot.ini', '.boot.ini'],
    ['header injection', 'a.txt\r\nSet-Cookie: x=1', 'a.txtSet-Cookie x=1'],
  ])('%s', (_, name, cleanName) => {
    expect(cleanFileName(name)).toBe(cleanName)
  })
})

describe('cleanFileName preserves', () => {
  it.each([
    'report.pdf',
    '.gitignore',
    'archive.tar.gz',
    'no extension',
    'CON',
    'a, b; c (1) [2] {3} #4 50% & more = ~x~.txt',
    'تقرير الربع الأول.pdf',
    'می\u200cخواهم.txt',
    'क्\u200dष.txt',
    `${familyEmoji} ❤️.jpg`,
    '葛\u{e0100}.txt',
    'O\u02bbahu.txt',
  ])('%s', (name) => {
    expect(cleanFileName(name)).toBe(name)
  })
})

describe('a name without usable characters is replaced', () => {
  it.each([
    ['', 'file'],
    ['   ', 'file'],
    ['.', 'file'],
    ['..', 'file'],
    ['. . .', 'file'],
    ['???', 'file'],
    ['\u202e\u200b', 'file'],
    ['\u200d\ufe0f', 'file'],
    ['\u2800', 'file'],
    ['\u2800.\u2800', 'file'],
    ['\u2800.png', 'file.png'],
    ['???.png', 'file.png'],
    ['"".tar.gz', 'file.tar.gz'],
    ['\u200d.png', 'file.png'],
    ['?...png', 'file.png'],
  ])('%j becomes %j', (name, cleanName) => {
    expect(cleanFileName(name)).toBe(cleanName)
  })
})

describe('a long name', () => {
  it('is kept up to 255 bytes and truncated beyond that', () => {
    const stem = 'a'.repeat(251)
    expect(cleanFileName(`${stem}.txt`)).toBe(`${stem}.txt`)
    expect(cleanFileName(`${stem}a.txt`)).toBe(`${stem}.txt`)
  })

  it.each(['.png', '.tar.gz', '.TAR.zst', '.расширение'])('keeps its extension %s', (extension) => {
    const cleanName = cleanFileName('й'.repeat(300) + extension)
    expect(cleanName.endsWith(`й${extension}`)).toBe(true)
    expect([254, 255]).toContain(byteLength(cleanName))
  })

  it('is truncated between graphemes', () => {
    const cleanName = cleanFileName(`${familyEmoji.repeat(40)}.jpg`)
    expect(cleanName).toBe(`${familyEmoji.repeat(Math.floor(251 / byteLength(familyEmoji)))}.jpg`)
  })

  it('has no space before its extension', () => {
    expect(cleanFileName(`${'a'.repeat(250)} bcd.txt`)).toBe(`${'a'.repeat(250)}.txt`)
  })

  it('has no extension if its last dot is followed by a sentence', () => {
    expect(cleanFileName(`Dr. ${'x'.repeat(300)}`)).toBe(`Dr. ${'x'.repeat(251)}`)
  })

  it('of a single grapheme is replaced', () => {
    expect(cleanFileName(`a${'\u0301\u0302'.repeat(300)}.png`)).toBe('file.png')
  })

  it('of 100,000 characters is cleaned quickly', () => {
    expect(byteLength(cleanFileName('a ?'.repeat(100_000)))).toBeLessThanOrEqual(255)
    // A pattern that backtracks at every joiner would take minutes.
    expect(byteLength(cleanFileName(`a${'\u200d'.repeat(300_000)}a`))).toBeLessThanOrEqual(255)
  })
})

describe('any name', () => {
  /** Random mixtures of arbitrary characters and of characters that the rules handle. */
  const pieces = fc.oneof(
    fc.constantFrom('.', '..', ' ', '\t', '\n', '\0', '-', '—', '"', '’', '`', '<', '/', '\\', '?'),
    fc.constantFrom('│', '█', '\u202e', '\u200b', '\u200d', '\ufeff', '\ufe0f', '\ud83d', '\udc00'),
    fc.constantFrom(
      '\u0301',
      '\u0338',
      'e',
      'K',
      '\u1fef',
      '\u037e',
      '.tar',
      '.gz',
      '.png',
      familyEmoji,
    ),
    anyText(),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
  )
  const names = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''))
  const options = { numRuns: 1000 }

  it('is not changed by a second cleaning', () => {
    fc.assert(
      fc.property(names, (name) => {
        const cleanName = cleanFileName(name)
        expect(cleanFileName(cleanName)).toBe(cleanName)
      }),
      options,
    )
  })

  it('can be stored, displayed and sent after cleaning', () => {
    fc.assert(
      fc.property(names, (name) => {
        const cleanName = cleanFileName(name)
        expect(byteLength(cleanName)).toBeLessThanOrEqual(255)
        expect(cleanName).toMatch(/[^.\s]/)
        expect(cleanName).not.toMatch(/[<>:"/\\|?*'`\u2500-\u259f]/u)
        expect(cleanName).not.toMatch(/[\p{Cc}\p{Surrogate}\p{Bidi_Control}\u200b\ufeff]/u)
        expect(cleanName).not.toMatch(/\s\s|^\s|\s$|^\.\./u)
        expect(cleanName).not.toMatch(/[\u2010-\u2015]/u)
        expect(cleanName).toBe(cleanName.normalize('NFC'))
        expect(cleanName.isWellFormed()).toBe(true)
      }),
      options,
    )
  })

  it('keeps its extension regardless of its length', () => {
    fc.assert(
      fc.property(names, fc.constantFrom('.png', '.tar.gz', '.7z'), (name, extension) => {
        expect(cleanFileName(`${name}x${extension}`).endsWith(extension)).toBe(true)
      }),
      options,
    )
  })
})

describe('text inserted before the extension', () => {
  it.each([
    ['a.txt', 'a (2).txt'],
    ['a.tar.gz', 'a (2).tar.gz'],
    ['.gitignore', '.gitignore (2)'],
    ['no extension', 'no extension (2)'],
  ])('of %s', (name, expected) => {
    expect(insertBeforeExtension(name, ' (2)')).toBe(expected)
  })

  it('shortens the stem if necessary', () => {
    expect(insertBeforeExtension(`${'é'.repeat(125)}.jpg`, ' (2)')).toBe(
      `${'é'.repeat(123)} (2).jpg`,
    )
  })
})
