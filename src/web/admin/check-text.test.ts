import { expect, it } from 'vitest'
import type { CheckResult, CheckStatus } from '../../shared/contract/checks.ts'
import { summarizeChecks } from './check-text.ts'

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
