import { expect, it } from 'vitest'
import { durationText } from './duration-text.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

it.each([
  [minute, '1 minute'],
  [10 * minute, '10 minutes'],
  [hour, '1 hour'],
  [24 * hour, '24 hours'],
  [2 * day, '2 days'],
  [365 * day, '365 days'],
])('writes %d ms as %j', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
