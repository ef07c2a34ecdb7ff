import { expect, it } from 'vitest'
import type { CheckLine, CheckStatus } from '../../shared/contract/checks.ts'
import { summarise } from './check-summary.ts'

function line(name: string, status: CheckStatus): CheckLine {
  return { name, status, message: '', cure: '' }
}

it('puts failing lines before warnings, keeps their order, and counts what is OK', () => {
  const lines = [
    line('Database', 'ok'),
    line('Storage', 'warning'),
    line('Mail', 'failing'),
    line('Backups', 'warning'),
    line('Version', 'ok'),
    line('Proxy', 'failing'),
  ]
  const { urgent, fine, text } = summarise(lines)
  expect(urgent.map(({ name }) => name)).toEqual(['Mail', 'Proxy', 'Storage', 'Backups'])
  expect(fine.map(({ name }) => name)).toEqual(['Database', 'Version'])
  expect(text).toBe('2 of 6 OK')
})
