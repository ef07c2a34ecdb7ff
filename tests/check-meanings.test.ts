import { expect, it } from 'vitest'
import { checks } from '../src/server/admin/checks/checks.ts'
import { jobNames } from '../src/server/jobs/job-names.ts'
import { getCheckDescription } from '../src/web/admin/check-text.ts'

it.each([
  ...checks.flatMap(({ name }) => (name === 'Jobs' ? [] : [name])),
  'Mail: lost emails',
  'Mail: waiting emails',
  ...jobNames.map((name) => `Jobs: ${name}`),
  'Jobs: bytes that should be gone',
  'Jobs: files whose bytes are missing',
])('explains %s', (name) => {
  expect(getCheckDescription(name)).toMatch(/^[A-Z].*\.$/)
})

it('has no explanation for an unknown check', () => {
  expect(getCheckDescription('Weather')).toBeNull()
})
