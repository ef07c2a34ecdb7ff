import { expect, test } from 'vitest'
import { isMediaType } from './media-type.ts'

test.each([
  ['image/png', true],
  ['application/vnd.oasis.opendocument.text', true],
  ['image/svg+xml', true],
  ['Text/Plain', true],
  ['', false],
  ['image', false],
  ['image/', false],
  ['a/b/c', false],
  ['text/plain; charset=utf-8', false],
  ["application/x-it's", false],
  ['application/x-(old)', false],
  ['text/plain\n', false],
  [`text/${'a'.repeat(250)}`, true],
  [`text/${'a'.repeat(251)}`, false],
])('%j is a media type: %s', (text, expected) => {
  expect(isMediaType(text)).toBe(expected)
})
