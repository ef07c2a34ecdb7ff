import { describe, expect, it } from 'vitest'
import { type ExpectedFile, noAttempts, reconcile, shouldOpen, Violation } from './expected-file.ts'

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
  counted: { min: 1, max: 3 },
}
const early = new Date(500)

function listed(shortCode: string, downloadCount = 2) {
  return { shortCode, expiresAt: new Date(1500).toISOString(), downloadCount }
}

describe('a file after a round', () => {
  it.each([
    ['without requests', noAttempts, listed('old'), 'old', []],
    [
      'after a completed renewal',
      { ...noAttempts, renewals: ['new'] },
      listed('new'),
      'new',
      ['old'],
    ],
    [
      'after two parallel renewals',
      { ...noAttempts, renewals: ['b', 'c'] },
      listed('b'),
      'b',
      ['old', 'c'],
    ],
    [
      'after a renewal that succeeded without a response',
      { ...noAttempts, renewals: [null] },
      listed('x'),
      'x',
      ['old'],
    ],
    [
      'after a renewal that failed without a response',
      { ...noAttempts, renewals: [null] },
      listed('old'),
      'old',
      [],
    ],
    [
      'after a completed renewal and one without a response',
      { ...noAttempts, renewals: ['b', null] },
      listed('x'),
      'x',
      ['old', 'b'],
    ],
    [
      'after a deletion that failed without a response',
      { ...noAttempts, deletion: 'answer lost' as const },
      listed('old'),
      'old',
      [],
    ],
  ])('%s', (_, attempts, shown, code, deadCodes) => {
    expect(reconcile(file, attempts, shown, early)).toMatchObject({
      code,
      deadCodes,
      isDeleted: false,
    })
  })

  it.each(['answer lost', 'done'] as const)('is gone after a deletion: %s', (deletion) => {
    expect(reconcile(file, { ...noAttempts, deletion }, undefined, early).isDeleted).toBe(true)
  })

  it.each([
    ['it is lost', noAttempts, undefined],
    [
      'it is listed after its deletion',
      { ...noAttempts, deletion: 'done' as const },
      listed('old'),
    ],
    ['its link changed without a request', noAttempts, listed('x')],
    ['a completed renewal was undone', { ...noAttempts, renewals: ['new'] }, listed('old')],
    ['a download is not counted', noAttempts, listed('old', 0)],
    ['a download is counted twice', noAttempts, listed('old', 4)],
    ['its bytes are gone early', { ...noAttempts, wasGone: true }, listed('old')],
  ])('is a violation if %s', (_, attempts, shown) => {
    expect(() => reconcile(file, attempts, shown, early)).toThrow(Violation)
  })
})

it('may be gone after its longest life', () => {
  const settled = reconcile(file, { ...noAttempts, wasGone: true }, listed('old'), new Date(2000))
  expect(settled.code).toBe('old')
})

describe('a link', () => {
  it.each([
    [999, 999, true],
    [1000, 1000, false],
    // The clock was set back after the file expired.
    [999, 1000, null],
  ])('at %i, after %i: %s', (now, latest, expected) => {
    expect(shouldOpen(file, new Date(now), new Date(latest))).toBe(expected)
  })

  it('of a deleted file never opens', () => {
    expect(shouldOpen({ ...file, isDeleted: true }, new Date(0), new Date(0))).toBe(false)
  })
})
