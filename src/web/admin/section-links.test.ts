import { expect, it } from 'vitest'
import type { Report } from '../../shared/contract/abuse.ts'
import type { CheckLine, CheckStatus } from '../../shared/contract/checks.ts'
import type { Feedback } from '../../shared/contract/feedback.ts'
import { type Loaded, newestOf, waitingIn } from './section-links.tsx'

const nothing: Loaded = {
  checks: undefined,
  reports: undefined,
  feedback: undefined,
  seenUntil: null,
}

function line(status: CheckStatus): CheckLine {
  return { name: 'Storage', status, message: '', cure: '' }
}

function pagesOf<Item>(items: Item[], next: string | null = null) {
  return { pages: [{ items, next }], pageParams: [undefined] }
}

function sent(day: number, isSuspect = false) {
  const createdAt = `2026-11-0${day}T00:00:00.000Z`
  return { id: `${day}`, createdAt, isSuspect } as Feedback
}

const threeReports = Array.from({ length: 3 }, () => ({}) as Report)

it.each<[string, Partial<Loaded>, [string, string, string][]]>([
  ['nothing is loaded', {}, []],
  ['all is well', { checks: [line('ok'), line('warning')], reports: pagesOf<Report>([]) }, []],
  ['checks fail', { checks: [line('failing'), line('ok')] }, [['checks', '1', 'failing']]],
  ['reports are open', { reports: pagesOf(threeReports) }, [['reports', '3', 'open']]],
  ['there are more', { reports: pagesOf(threeReports, 'next') }, [['reports', '3+', 'open']]],
  ['none was seen', { feedback: pagesOf([sent(2), sent(1)]) }, [['feedback', '2', 'new']]],
  [
    'some was seen',
    { feedback: pagesOf([sent(2), sent(1)], 'next'), seenUntil: sent(1).createdAt },
    [['feedback', '1', 'new']],
  ],
  ['all was seen', { feedback: pagesOf([sent(2)]), seenUntil: sent(2).createdAt }, []],
  ['a robot sent it', { feedback: pagesOf([sent(2, true)]) }, []],
  [
    'a robot sent the oldest that is loaded',
    { feedback: pagesOf([sent(3), sent(2, true)], 'next'), seenUntil: sent(1).createdAt },
    [['feedback', '1+', 'new']],
  ],
  [
    'a robot sent some of what was seen',
    { feedback: pagesOf([sent(3), sent(2, true)], 'next'), seenUntil: sent(2).createdAt },
    [['feedback', '1', 'new']],
  ],
])('says what waits where %s', (_, loaded, expected) => {
  const found = [...waitingIn({ ...nothing, ...loaded })]
  expect(found.map(([id, { count, what }]) => [id, count, what])).toEqual(expected)
})

it('takes for the newest feedback the first of the first page', () => {
  expect(newestOf(undefined)).toBeNull()
  expect(newestOf(pagesOf<Feedback>([]))).toBeNull()
  expect(newestOf(pagesOf([sent(2), sent(1)]))).toBe(sent(2).createdAt)
})
