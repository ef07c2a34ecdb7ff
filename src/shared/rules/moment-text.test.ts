import { expect, test } from 'vitest'
import { momentText } from './moment-text.ts'

const moment = new Date('2026-11-24T14:02:59.999Z')

test('says a moment in UTC, and that it is', () => {
  expect(momentText(moment)).toBe('Tue 24 Nov, 14:02 UTC')
  expect(momentText(new Date('2027-01-01T00:00:00Z'))).toBe('Fri 1 Jan, 00:00 UTC')
})

test('says a moment in another zone, on the day it is there', () => {
  expect(momentText(moment, 300)).toBe('Tue 24 Nov, 09:02')
  expect(momentText(moment, -330)).toBe('Tue 24 Nov, 19:32')
  expect(momentText(moment, -720)).toBe('Wed 25 Nov, 02:02')
  expect(momentText(moment, 0)).toBe('Tue 24 Nov, 14:02')
})
