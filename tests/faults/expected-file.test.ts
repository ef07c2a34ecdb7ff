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
  expectedDownloads: { min: 1, max: 3 },
}
const beforeExpiry = new Date(500)

function makeListedFile(shortCode: string, downloadCount = 2) {
  return { shortCode, expiresAt: new Date(1500).toISOString(), downloadCount }
}

describe('a file after a round', () => {
  it.each([
    ['without requests', noAttempts, makeListedFile('old'), 'old', []],
    [
      'after a completed renewal',
      { ...noAttempts, renewals: ['new'] },
      makeListedFile('new'),
      'new',
      ['old'],
    ],
    [
      'after two parallel renewals',
      { ...noAttempts, renewals: ['b', 'c'] },
      makeListedFile('b'),
      'b',
      ['old', 'c'],
    ],
    [
      'after a renewal that succeeded without a response',
      { ...noAttempts, renewals: [null] },
      makeListedFile('x'),
      'x',
      ['old'],
    ],
    [
      'after a renewal that failed without a response',
      { ...noAttempts, renewals: [null] },
      makeListedFile('old'),
      'old',
      [],
    ],
    [
      'after a completed renewal and one without a response',
      { ...noAttempts, renewals: ['b', null] },
      makeListedFile('x'),
      'x',
      ['old', 'b'],
    ],
    [
      'after a deletion that failed without a response',
      { ...noAttempts, deletion: 'response lost' as const },
      makeListedFile('old'),
      'old',
      [],
    ],
  ])('%s', (_, attempts, listedEntry, code, deadCodes) => {
    expect(reconcile(file, attempts, listedEntry, beforeExpiry)).toMatchObject({
      code,
      deadCodes,
      isDeleted: false,
    })
  })

  it.each(['response lost', 'done'] as const)('is gone after a deletion: %s', (deletion) => {
    expect(reconcile(file, { ...noAttempts, deletion }, undefined, beforeExpiry).isDeleted).toBe(
      true,
    )
  })

  it.each([
    ['it is lost', noAttempts, undefined],
    [
      'it is listed after its deletion',
      { ...noAttempts, deletion: 'done' as const },
      makeListedFile('old'),
    ],
    ['its link changed without a request', noAttempts, makeListedFile('x')],
    ['a completed renewal was undone', { ...noAttempts, renewals: ['new'] }, makeListedFile('old')],
    ['a download is not counted', noAttempts, makeListedFile('old', 0)],
    ['a download is counted twice', noAttempts, makeListedFile('old', 4)],
    ['its bytes are gone early', { ...noAttempts, isPurged: true }, makeListedFile('old')],
  ])('is a violation if %s', (_, attempts, listedEntry) => {
    expect(() => reconcile(file, attempts, listedEntry, beforeExpiry)).toThrow(Violation)
  })
})

it('may be purged at the end of its maximum lifetime', () => {
  const reconciledFile = reconcile(
    file,
    { ...noAttempts, isPurged: true },
    makeListedFile('old'),
    new Date(2000),
  )
  expect(reconciledFile.code).toBe('old')
})

describe('a link', () => {
  it.each([
    [999, 999, true],
    [1000, 1000, false],
    // The clock was set back after the file expired.
    [999, 1000, null],
  ])('works at %i when the clock has already shown %i: %s', (now, latest, expected) => {
    expect(shouldOpen(file, new Date(now), new Date(latest))).toBe(expected)
  })

  it("doesn't work once its file is deleted", () => {
    expect(shouldOpen({ ...file, isDeleted: true }, new Date(0), new Date(0))).toBe(false)
  })
})
