import { expect, it } from 'vitest'
import { maxExplanationLength, maxReasonLength, reportChoiceNames, reportReason } from './report.ts'

it.each(reportChoiceNames)('the reason of a %s report is within its limit', (choice) => {
  expect(reportReason(choice, 'x'.repeat(maxExplanationLength)).length).toBeLessThanOrEqual(
    maxReasonLength,
  )
})

it('a report begins with the selected choice', () => {
  expect(reportReason('malware', 'It came by mail.\nTwice.')).toBe(
    'Malware: It came by mail.\nTwice.',
  )
})
