import { expect, it } from 'vitest'
import { accentHint } from './accent-field.tsx'

it.each([
  ['#ffd400', 'Shown darker in the light theme, where it would be hard to see.'],
  ['#1e3a8a', 'Shown lighter in the dark theme, where it would be hard to see.'],
  ['#e11d48', null],
])('the hint for the accent color %s is: %s', (color, hint) => {
  expect(accentHint(color)).toBe(hint)
})
