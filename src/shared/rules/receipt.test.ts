import { expect, it } from 'vitest'
import { receiptsShownSince } from './receipt.ts'

it('shows a receipt for exactly 30 days of 24 hours, also where the clocks change', () => {
  const now = new Date('2026-04-10T12:00:00.000Z')
  expect(receiptsShownSince(now)).toEqual(new Date('2026-03-11T12:00:00.000Z'))
})
