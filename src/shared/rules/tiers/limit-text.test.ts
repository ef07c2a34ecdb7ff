import { expect, test } from 'vitest'
import { daysText, filesLeftText, filesText, limitsText } from './limit-text.ts'
import { defaultLimits } from './tier-limits.ts'

test.each([
  [null, 'unlimited files'],
  [1, '1 file'],
  [3, '3 files'],
  [10_000, '10,000 files'],
])('%j as files: %s', (maxFiles, text) => {
  expect(filesText(maxFiles)).toBe(text)
})

test.each([
  [[1], '1 day'],
  [[3], '3 days'],
  [[1, 2], '1 or 2 days'],
  [[3, 5, 7], '3, 5 or 7 days'],
])('%j as days: %s', (days, text) => {
  expect(daysText(...days)).toBe(text)
})

test.each([
  [3, 0, '3 of 3 left'],
  [3, 2, '1 of 3 left'],
  [10_000, 0, '10,000 of 10,000 left'],
  [3, 3, 'None left: delete files to make room'],
  [3, 40, 'None left: delete files to make room'],
])('of %j files %j are there: %s', (maxFiles, active, text) => {
  expect(filesLeftText(maxFiles, active)).toBe(text)
})

test('the limits of a tier in one line', () => {
  expect(limitsText(defaultLimits.free)).toBe('3 files at most, 500MB each, for 3 days')
  expect(limitsText(defaultLimits.premium)).toBe('unlimited files, 1GB each, for 3, 5 or 7 days')
})
