import { expect, it } from 'vitest'
import { reportedRequestText } from './reported-request.ts'

it.each([
  ['?request=Kd7wQm3xRt', 'Report of https://example.org/r/Kd7wQm3xRt\n'],
  ['', ''],
  ['?request=', ''],
  ['?request=Kd7wQm3xRt/../../s', ''],
  ['?message=Hello', ''],
])('feedback about %j begins with the address of the request', (search, text) => {
  expect(reportedRequestText({ origin: 'https://example.org', search })).toBe(text)
})
