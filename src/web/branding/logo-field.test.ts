import { expect, it } from 'vitest'
import { maxLogoBytes } from '../../shared/contract/branding.ts'
import { logoError } from './logo-field.tsx'

it.each([
  ['a PNG', 'image/png', 10, null],
  ['a 1 MB JPEG', 'image/jpeg', maxLogoBytes, null],
  ['a WebP', 'image/webp', 1, null],
  ['a byte over 1 MB', 'image/png', maxLogoBytes + 1, 'The picture can be 1MB at most.'],
  ['an SVG', 'image/svg+xml', 10, 'Please choose a PNG, JPEG or WebP.'],
  ['a GIF', 'image/gif', 10, 'Please choose a PNG, JPEG or WebP.'],
  ['a file without a type', '', 10, 'Please choose a PNG, JPEG or WebP.'],
])('the error for %s (%s, %i bytes) is: %s', (_name, type, size, expectedError) => {
  expect(logoError({ type, size })).toBe(expectedError)
})
