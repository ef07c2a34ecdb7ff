import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zipNames } from './zip-names.ts'

describe('the names in an archive', () => {
  it.each<[string, string[], string[]]>([
    ['are those of the files', ['a.txt', '.gitignore', 'b'], ['a.txt', '.gitignore', 'b']],
    ['are numbered if equal', ['a.txt', 'a.txt', 'a.txt'], ['a.txt', 'a (2).txt', 'a (3).txt']],
    ['differ in more than case', ['A.txt', 'a.TXT', 'a.txt'], ['A.txt', 'a (2).TXT', 'a (3).txt']],
    ['differ in more than sharp s', ['Straße', 'STRASSE'], ['Straße', 'STRASSE (2)']],
    ['are composed', ['e\u0301', '\u00e9'], ['\u00e9', '\u00e9 (2)']],
    ['keep double extensions', ['a.tar.gz', 'a.tar.gz'], ['a.tar.gz', 'a (2).tar.gz']],
    ['skip numbers that are taken', ['a', 'a (2)', 'a', 'a'], ['a', 'a (2)', 'a (3)', 'a (4)']],
    ['number a name that a number took', ['a', 'a', 'a (2)'], ['a', 'a (2)', 'a (2) (2)']],
    ['contain no path', ['/etc/passwd', '..', '../a', 'C:\\b'], ['etcpasswd', 'file', '.a', 'Cb']],
    ['contain no control characters', ['a\0b\u001b[1m'], ['ab[1m']],
    ['have no trailing dots', ['a.', 'a. . ', 'a'], ['a', 'a (2)', 'a (3)']],
    [
      'name no device of Windows',
      ['con', 'NUL.txt', 'com1.tar.gz', 'aux .b', 'LPT¹', 'con.', 'console', 'com10'],
      ['_con', '_NUL.txt', '_com1.tar.gz', '_aux .b', '_LPT¹', '_con (2)', 'console', 'com10'],
    ],
  ])('%s', (_, fileNames, expected) => {
    expect(zipNames(fileNames)).toEqual(expected)
  })

  it('are safe and unique for any files, and depend only on those before', () => {
    const word = fc.constantFrom(
      'con',
      'a',
      'A',
      '.',
      ' ',
      '/',
      '..',
      '(2)',
      'é',
      'ß',
      'x'.repeat(250),
    )
    const fileName = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(word).map((words) => words.join('')),
    )
    fc.assert(
      fc.property(fc.array(fileName), (fileNames) => {
        const names = zipNames(fileNames)
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(fileNames.length)
        for (const name of names) {
          expect(name).not.toMatch(/[\p{Cc}/\\:*?"<>|]|[. ]$|^$/u)
          expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i)
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
        }
        expect(zipNames(fileNames.slice(0, 3))).toEqual(names.slice(0, 3))
      }),
      { numRuns: 1000 },
    )
  })
})
