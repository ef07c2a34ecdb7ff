import { expect, it } from 'vitest'
import { longestReason, longestWords, reasonOf, reportChoiceNames } from './report.ts'

it.each(reportChoiceNames)('a report of %s has room for the longest words', (choice) => {
  expect(reasonOf(choice, 'x'.repeat(longestWords)).length).toBeLessThanOrEqual(longestReason)
})

it('a report begins with what was chosen', () => {
  expect(reasonOf('malware', 'It came by mail.\nTwice.')).toBe(
    'It is harmful software: It came by mail.\nTwice.',
  )
})
