import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shortName, splitName } from './file-name.tsx'

describe('the tail that is always visible', () => {
  test.each([
    ['Rough cut, scenes 4-11, with grading notes.mov', 'ng notes.mov'],
    ['backup-2025-07-12.tar.gz', '7-12.tar.gz'],
    ['README', ''],
    ['no extension at all in this long name', 'ong name'],
    ['.gitignore', 'itignore'],
    ['a.pdf', ''],
    ['sentence. With a dot somewhere in the middle', 'e middle'],
  ])('of %s is %s', (name, tail) => {
    expect(splitName(name).tail).toBe(tail)
  })

  test('never separates joined letters', () => {
    expect(splitName('تقرير الربع الثالث النهائي.pdf').tail).toBe('.pdf')
  })

  test('never splits an emoji', () => {
    const familyEmoji = '👨‍👩‍👧‍👦'
    const { head, tail } = splitName(`party ${familyEmoji.repeat(10)}.jpg`)
    expect(tail).toBe(`${familyEmoji.repeat(8)}.jpg`)
    expect(head).toBe(`party ${familyEmoji.repeat(2)}`)
  })

  test('forms the original name together with the head', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (name) => {
        const { head, tail } = splitName(name)
        expect(head + tail).toBe(name)
        if (name !== '') expect(head).not.toBe('')
      }),
    )
  })
})

describe('shortening a name', () => {
  test('leaves a short name unchanged', () => {
    expect(shortName('press-kit.zip', 20)).toBe('press-kit.zip')
  })

  test('cuts a long name in the middle and keeps its extension', () => {
    expect(shortName(`${'a'.repeat(200)}-final.mov`, 30)).toBe(`${'a'.repeat(17)}…aa-final.mov`)
  })

  test('never exceeds the given length', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    const anyName = fc.string({ unit: 'grapheme', maxLength: 300 })
    fc.assert(
      fc.property(anyName, fc.integer({ min: 30, max: 100 }), (name, length) => {
        const shortenedName = shortName(name, length)
        expect([...segmenter.segment(shortenedName)].length).toBeLessThanOrEqual(length)
      }),
    )
  })
})
