import { expect, test } from 'vitest'
import { isLongText } from './feedback-section.tsx'

test('a text is long if it has many characters or many lines', () => {
  expect(isLongText('x'.repeat(320))).toBe(false)
  expect(isLongText('x'.repeat(321))).toBe(true)
  expect(isLongText('a\nb\nc\nd\ne')).toBe(false)
  expect(isLongText('a\nb\nc\nd\ne\nf')).toBe(true)
})
