import { expect, it } from 'vitest'
import type { CheckResult, CheckStatus } from '../../shared/contract/checks.ts'
import { splitRemedy, summarizeChecks } from './check-text.ts'

function makeCheckResult(name: string, status: CheckStatus): CheckResult {
  return { name, status, message: '', cure: '' }
}

it('lists failing checks before warnings, preserves their order and counts the checks that are OK', () => {
  const checks = [
    makeCheckResult('Database', 'ok'),
    makeCheckResult('Storage', 'warning'),
    makeCheckResult('Mail', 'failing'),
    makeCheckResult('Backups', 'warning'),
    makeCheckResult('Version', 'ok'),
    makeCheckResult('Proxy', 'failing'),
  ]
  const { urgent, passing, text } = summarizeChecks(checks)
  expect(urgent.map(({ name }) => name)).toEqual(['Mail', 'Proxy', 'Storage', 'Backups'])
  expect(passing.map(({ name }) => name)).toEqual(['Database', 'Version'])
  expect(text).toBe('2 of 6 OK')
})

function toMarkdown(remedy: string): string {
  return splitRemedy(remedy)
    .map(({ text, section }) => (section === null ? text : `[${text}](#${section})`))
    .join('')
}

it('gives parts with the same text different offsets', () => {
  const parts = splitRemedy('under Reports or under Reports')
  expect(parts.map(({ at }) => at)).toEqual([0, 6, 13, 23, 30])
})

it.each([
  ['Look at each under Reports.', 'Look at each under [Reports](#reports).'],
  [
    'Raise the cap under Limits ("Total storage"), or delete a user under Users',
    'Raise the cap under [Limits](#limits) ("Total storage"), or delete a user under [Users](#users)',
  ],
  ['See under Audit log.', 'See under [Audit log](#audit).'],
  ['Restart the server.', 'Restart the server.'],
  ['Reports name the thunder Limits and under Limitsville.', null],
  ['', null],
])('links section titles in the remedy "%s"', (remedy, text) => {
  expect(toMarkdown(remedy)).toBe(text ?? remedy)
  expect(
    splitRemedy(remedy)
      .map((part) => part.text)
      .join(''),
  ).toBe(remedy)
})
