import { expect, it } from 'vitest'
import { longestReason, longestWords, reportChoiceNames, reportReason } from './report.ts'

it.each(reportChoiceNames)('a report of %s has room for the longest words', (choice) => {
  expect(reportReason(choice, 'x'.repeat(longestWords)).length).toBeLessThanOrEqual(longestReason)
})

it('a report begins with what was chosen', () => {
  expect(reportReason('malware', 'It came by mail.\nTwice.')).toBe(
    'Malware: It came by mail.\nTwice.',
  )
})
