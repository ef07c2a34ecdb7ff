import type { IncomingHttpHeaders } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateConditions, expectedStart, selectRange } from './byte-range.ts'

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

  it('ignores ranges of an empty file', () => {
    for (const header of ['bytes=0-', 'bytes=-5', 'bytes=0-0']) {
      expect(selectRange(header, 0)).toBe('whole')
    }
  })

  it("never exceeds the file's bounds, for any header", () => {
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
  const sameDate = 'Sat, 12 Jul 2025 10:20:30 GMT'
  const earlierDate = 'Sat, 12 Jul 2025 10:20:29 GMT'
  it.each([
    [{}, 'range'],
    [{ 'if-none-match': '"v1"' }, 'unmodified'],
    [{ 'if-none-match': 'W/"v1"' }, 'unmodified'],
    [{ 'if-none-match': '"v0" , W/"v1"' }, 'unmodified'],
    [{ 'if-none-match': '*' }, 'unmodified'],
    [{ 'if-none-match': '"v0"' }, 'range'],
    [{ 'if-none-match': 'v1' }, 'range'],
    [{ 'if-none-match': '"v0"', 'if-modified-since': sameDate }, 'range'],
    [{ 'if-modified-since': sameDate }, 'unmodified'],
    [{ 'if-modified-since': earlierDate }, 'range'],
    [{ 'if-modified-since': 'yesterday' }, 'range'],
    [{ 'if-match': '"v1"' }, 'range'],
    [{ 'if-match': '*' }, 'range'],
    [{ 'if-match': '"v0"' }, 'failed'],
    [{ 'if-match': 'W/"v1"' }, 'failed'],
    [{ 'if-unmodified-since': sameDate }, 'range'],
    [{ 'if-unmodified-since': earlierDate }, 'failed'],
    [{ 'if-unmodified-since': 'yesterday' }, 'range'],
    [{ 'if-match': '"v1"', 'if-unmodified-since': earlierDate }, 'range'],
    [{ 'if-range': '"v1"' }, 'range'],
    [{ 'if-range': 'W/"v1"' }, 'whole'],
    [{ 'if-range': '"v0"' }, 'whole'],
    [{ 'if-range': sameDate }, 'range'],
    [{ 'if-range': earlierDate }, 'whole'],
    [{ 'if-range': 'yesterday' }, 'whole'],
  ])('%j', (headers, expected) => {
    expect(evaluateConditions(headers, validators)).toBe(expected)
  })

  it.each([
    [{ 'if-range': '"v1"' }, 'range'],
    [{ 'if-range': sameDate }, 'whole'],
    [{ 'if-modified-since': sameDate }, 'range'],
    [{ 'if-unmodified-since': sameDate }, 'range'],
  ])('without a date, %j', (headers, expected) => {
    expect(evaluateConditions(headers, { etag: '"v1"', lastModified: null })).toBe(expected)
  })
})

describe('expectedStart', () => {
  const size = 1000
  const validators = { etag: '"v1"', lastModified: new Date('2026-11-21T00:00:00.400Z') }
  const modifiedDate = 'Sat, 21 Nov 2026 00:00:00 GMT'
  const laterDate = 'Sat, 21 Nov 2026 00:00:01 GMT'
  const earlierDate = 'Fri, 20 Nov 2026 23:59:59 GMT'

  function startOf(method: string, headers: IncomingHttpHeaders) {
    return expectedStart({ method, headers }, size, async () => validators)
  }

  it.each<[string, IncomingHttpHeaders, number | null]>([
    ['GET', {}, 0],
    ['HEAD', {}, null],
    ['GET', { range: 'bytes=0-' }, 0],
    ['GET', { range: 'Bytes=00-99' }, 0],
    ['GET', { range: 'bytes=1-' }, 1],
    ['GET', { range: 'bytes=100-199' }, 100],
    ['GET', { range: 'bytes=-1' }, 999],
    ['GET', { range: 'bytes=-1000' }, 0],
    ['GET', { range: 'bytes=1000-' }, null],
    ['GET', { range: 'lines=5-' }, 0], // an unknown unit is ignored: the whole file is sent
    ['GET', { range: 'bytes=5-9,20-29' }, 0], // and so are several ranges
    ['GET', { 'if-none-match': '"v1"' }, null],
    ['GET', { 'if-none-match': '"v2"' }, 0],
    ['GET', { 'if-modified-since': modifiedDate }, null],
    ['GET', { 'if-modified-since': earlierDate }, 0],
    ['GET', { 'if-match': '"v1"' }, 0],
    ['GET', { 'if-match': '"v2"' }, null],
    ['GET', { 'if-unmodified-since': laterDate }, 0],
    ['GET', { 'if-unmodified-since': earlierDate }, null],
    ['GET', { range: 'bytes=5-', 'if-range': '"v1"' }, 5],
    ['GET', { range: 'bytes=5-', 'if-range': '"v2"' }, 0],
    ['GET', { range: 'bytes=5-', 'if-range': modifiedDate }, 5],
    ['GET', { range: 'bytes=5-', 'if-range': laterDate }, 0],
    ['GET', { 'if-range': '"v2"' }, 0],
  ])('%s with %o: %s', async (method, headers, start) => {
    expect(await startOf(method, headers)).toBe(start)
  })

  it('fetches the validators only for conditional requests', async () => {
    const rejectCall = () => Promise.reject(new Error('asked'))
    const unconditionalRequest = { method: 'GET', headers: { range: 'bytes=5-' } }
    expect(await expectedStart(unconditionalRequest, size, rejectCall)).toBe(5)
    const conditionalRequest = { method: 'GET', headers: { 'if-none-match': '"v1"' } }
    await expect(expectedStart(conditionalRequest, size, rejectCall)).rejects.toThrow('asked')
  })

  it("returns null if the other server doesn't have the object", async () => {
    const request = { method: 'GET', headers: { 'if-none-match': '"v2"' } }
    expect(await expectedStart(request, size, async () => null)).toBeNull()
  })
})
