import { expect, it } from 'vitest'
import { storedFile } from '../../../tests/support/upload-facts.ts'
import { linkFacts } from './link-facts.ts'

const dates = {
  createdAt: '2026-03-01T10:00:00.000Z',
  expiresAt: '2026-03-04T10:00:00.000Z',
  maxLifetimeAt: '2026-03-31T10:00:00.000Z',
}

it('reads the moments of a file, and none for a purge that has not begun', () => {
  const facts = linkFacts(storedFile({ ...dates, purgingAt: null }))
  expect(JSON.parse(JSON.stringify(facts))).toEqual({ ...dates, purgingAt: null })
  expect(linkFacts(storedFile({ ...dates, purgingAt: dates.expiresAt })).purgingAt).toEqual(
    new Date(dates.expiresAt),
  )
})

it('reads a file once, and each change of it anew', () => {
  const file = storedFile({ ...dates, purgingAt: null })
  expect(linkFacts(file)).toBe(linkFacts(file))
  const renewed = { ...file, expiresAt: dates.maxLifetimeAt }
  expect(linkFacts(renewed).expiresAt).toEqual(new Date(dates.maxLifetimeAt))
})
