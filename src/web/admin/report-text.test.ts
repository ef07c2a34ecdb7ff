import { describe, expect, it } from 'vitest'
import { copiesText, reportSummary, takedownWarning } from './report-text.ts'

const now = new Date(2026, 10, 21, 11)
const lastReportedAt = new Date(2026, 10, 21, 10, 14).toISOString()

describe('the text of a report', () => {
  it.each([
    [1, 'reported once, today, 10:14:00'],
    [12, 'reported 12 times, last today, 10:14:00'],
    [1234, 'reported 1,234 times, last today, 10:14:00'],
  ])('counts %i reports', (count, text) =>
    expect(reportSummary({ count, lastReportedAt }, now)).toBe(text),
  )

  it.each([
    [0, null],
    [1, '1 other file with the same content'],
    [1200, '1,200 other files with the same content'],
  ])('counts %i copies', (copies, text) => expect(copiesText(copies)).toBe(text))
})

it.each([
  [
    'abc',
    0,
    'Its link ends at once and its contents are deleted. The same content cannot be uploaded again.',
  ],
  [
    'abc',
    1,
    'Its link ends at once and its contents are deleted. The same content cannot be uploaded again. The other file with it is taken down too.',
  ],
  [
    null,
    2,
    'Its link has ended already. The same content cannot be uploaded again. The 2 other files with it are taken down too.',
  ],
])('the takedown warning for link %j with %i copies', (openCode, copies, text) => {
  const file = { originalName: 'a', mimeType: 'a/b', size: 1, sha256: null, owner: null }
  expect(takedownWarning({ ...file, openCode, copies })).toBe(text)
  expect(takedownWarning({ ...file, openCode, copies, size: 0 })).toMatch(/ It is empty, so /)
})
