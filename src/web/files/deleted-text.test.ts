import { describe, expect, it, test } from 'vitest'
import { deletedText, notFoundText } from './deleted-text.ts'

test.each([
  [0, '0 files deleted'],
  [1, '1 file deleted'],
  [1088, '1,088 files deleted'],
])('%i deleted files are told as %j', (count, text) => expect(deletedText(count)).toBe(text))

describe('files that were not there', () => {
  it.each([
    [['a.txt'], '1 had been deleted before: “a.txt”.'],
    [['a.txt', 'b.txt'], '2 had been deleted before: “a.txt” and “b.txt”.'],
    [['a', 'b', 'c'], '3 had been deleted before: “a”, “b” and “c”.'],
    [['a', 'b', 'c', 'd'], '4 had been deleted before: “a”, “b”, “c” and 1 more.'],
    [Array(1500).fill('a'), '1,500 had been deleted before: “a”, “a”, “a” and 1,497 more.'],
  ])('are named, the first three of %j', (names, text) => {
    expect(notFoundText(names)).toBe(text)
  })

  it('are not told of if there are none', () => expect(notFoundText([])).toBeUndefined())

  it('have long names cut in the middle', () => {
    const text = notFoundText([`${'a'.repeat(200)}-final.mov`])
    expect(text).toBe(`1 had been deleted before: “${'a'.repeat(27)}…aa-final.mov”.`)
  })
})
