import { describe, expect, it } from 'vitest'
import { type Attempts, type ExpectedFile, mustOpen, settle, Violation } from './expected-file.ts'

const file: ExpectedFile = {
  id: 'a',
  name: 'a.bin',
  sha256: '',
  size: 1,
  code: 'old',
  deadCodes: [],
  expiresAt: new Date(1000),
  maxLifetimeAt: new Date(2000),
  isDeleted: false,
  counted: { least: 1, most: 3 },
}
const quiet: Attempts = { renewals: [], deletion: 'none' }

function listed(shortCode: string, downloadCount = 2) {
  return { shortCode, expiresAt: new Date(1500).toISOString(), downloadCount }
}

describe('a file after a round', () => {
  it.each([
    ['nothing was asked', quiet, listed('old'), 'old', []],
    ['a renewal was answered', { ...quiet, renewals: ['new'] }, listed('new'), 'new', ['old']],
    [
      'of two renewals one stays',
      { ...quiet, renewals: ['b', 'c'] },
      listed('b'),
      'b',
      ['old', 'c'],
    ],
    ['a lost renewal was done', { ...quiet, renewals: [null] }, listed('x'), 'x', ['old']],
    ['a lost renewal was not done', { ...quiet, renewals: [null] }, listed('old'), 'old', []],
    [
      'a lost renewal came after an answered one',
      { ...quiet, renewals: ['b', null] },
      listed('x'),
      'x',
      ['old', 'b'],
    ],
    [
      'a lost deletion was not done',
      { ...quiet, deletion: 'answer lost' as const },
      listed('old'),
      'old',
      [],
    ],
  ])('%s', (_, attempts, shown, code, deadCodes) => {
    expect(settle(file, attempts, shown)).toMatchObject({ code, deadCodes, isDeleted: false })
  })

  it.each(['answer lost', 'done'] as const)('is gone after a deletion: %s', (deletion) => {
    expect(settle(file, { ...quiet, deletion }, undefined).isDeleted).toBe(true)
  })

  it.each([
    ['it is lost', quiet, undefined],
    ['it is listed after its deletion', { ...quiet, deletion: 'done' as const }, listed('old')],
    ['its link changed by itself', quiet, listed('x')],
    ['an answered renewal is undone', { ...quiet, renewals: ['new'] }, listed('old')],
    ['a download is not counted', quiet, listed('old', 0)],
    ['a download is counted twice', quiet, listed('old', 4)],
  ])('is a violation if %s', (_, attempts, shown) => {
    expect(() => settle(file, attempts, shown)).toThrow(Violation)
  })
})

describe('a link', () => {
  it.each([
    [999, 999, true],
    [1000, 1000, false],
    // The clock was set back after the file had expired.
    [999, 1000, null],
  ])('at %i, after %i: %s', (now, latest, expected) => {
    expect(mustOpen(file, new Date(now), new Date(latest))).toBe(expected)
  })

  it('of a deleted file never opens', () => {
    expect(mustOpen({ ...file, isDeleted: true }, new Date(0), new Date(0))).toBe(false)
  })
})
