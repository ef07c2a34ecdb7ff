import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateConditions, selectRange } from './byte-range.ts'

describe('selectRange', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=0-', { start: 0, end: 99 }],
    ['bytes=99-', { start: 99, end: 99 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['bytes=90-1000000000000000000000', { start: 90, end: 99 }],
    ['bytes=-1', { start: 99, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['BYTES= 1-2 ', { start: 1, end: 2 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=1000000000000000000000-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    [undefined, 'whole'],
    ['', 'whole'],
    ['bytes', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=5-4', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=1', 'whole'],
    ['bytes=1.5-2', 'whole'],
    ['bytes=0x1-2', 'whole'],
    ['bytes=--1', 'whole'],
    ['lines=0-1', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
  ])('%s of 100 bytes', (header, expected) => {
    expect(selectRange(header, 100)).toEqual(expected)
  })

  it('names no part of an empty file', () => {
    for (const header of ['bytes=0-', 'bytes=-5', 'bytes=0-0']) {
      expect(selectRange(header, 0)).toBe('whole')
    }
  })

  it('never leaves the file, whatever it is asked', () => {
    const anyHeader = fc.oneof(
      fc.string(),
      fc.tuple(fc.maxSafeNat(), fc.maxSafeNat()).map(([a, b]) => `bytes=${a}-${b}`),
      fc.maxSafeNat().map((n) => `bytes=-${n}`),
    )
    fc.assert(
      fc.property(anyHeader, fc.maxSafeNat(), (header, size) => {
        const range = selectRange(header, size)
        if (typeof range === 'string') return
        expect(range.start).toBeGreaterThanOrEqual(0)
        expect(range.end).toBeGreaterThanOrEqual(range.start)
        expect(range.end).toBeLessThan(size)
      }),
    )
  })
})

describe('evaluateConditions', () => {
  const validators = { etag: '"v1"', lastModified: new Date('2025-07-12T10:20:30.456Z') }
  const same = 'Sat, 12 Jul 2025 10:20:30 GMT'
  const earlier = 'Sat, 12 Jul 2025 10:20:29 GMT'
  it.each([
    [{}, 'range'],
    [{ 'if-none-match': '"v1"' }, 'unmodified'],
    [{ 'if-none-match': 'W/"v1"' }, 'unmodified'],
    [{ 'if-none-match': '"v0" , W/"v1"' }, 'unmodified'],
    [{ 'if-none-match': '*' }, 'unmodified'],
    [{ 'if-none-match': '"v0"' }, 'range'],
    [{ 'if-none-match': 'v1' }, 'range'],
    [{ 'if-none-match': '"v0"', 'if-modified-since': same }, 'range'],
    [{ 'if-modified-since': same }, 'unmodified'],
    [{ 'if-modified-since': earlier }, 'range'],
    [{ 'if-modified-since': 'yesterday' }, 'range'],
    [{ 'if-match': '"v1"' }, 'range'],
    [{ 'if-match': '*' }, 'range'],
    [{ 'if-match': '"v0"' }, 'failed'],
    [{ 'if-match': 'W/"v1"' }, 'failed'],
    [{ 'if-unmodified-since': same }, 'range'],
    [{ 'if-unmodified-since': earlier }, 'failed'],
    [{ 'if-unmodified-since': 'yesterday' }, 'range'],
    [{ 'if-match': '"v1"', 'if-unmodified-since': earlier }, 'range'],
    [{ 'if-range': '"v1"' }, 'range'],
    [{ 'if-range': 'W/"v1"' }, 'whole'],
    [{ 'if-range': '"v0"' }, 'whole'],
    [{ 'if-range': same }, 'range'],
    [{ 'if-range': earlier }, 'whole'],
    [{ 'if-range': 'yesterday' }, 'whole'],
  ])('%j', (headers, expected) => {
    expect(evaluateConditions(headers, validators)).toBe(expected)
  })
})
