import { describe, expect, it } from 'vitest'
import { expectedStart } from './expected-start.ts'

describe('expectedStart', () => {
  it.each([
    ['GET', {}, 0],
    ['HEAD', {}, null],
    ['GET', { range: 'bytes=0-' }, 0],
    ['GET', { range: 'Bytes=00-99' }, 0],
    ['GET', { range: 'bytes=1-' }, 1],
    ['GET', { range: 'bytes=100-199' }, 100],
    ['GET', { range: 'bytes=-1' }, null],
    ['GET', { range: 'lines=5-' }, 0], // an unknown unit is ignored: the whole file is sent
    ['GET', { 'if-none-match': '"x"' }, null],
    ['GET', { 'if-modified-since': 'Sat, 21 Nov 2026 00:00:00 GMT' }, null],
  ])('%s with %o: %s', (method, headers, start) => {
    const sent = new Headers(headers as Record<string, string>)
    expect(expectedStart(method, (name) => sent.get(name))).toBe(start)
  })
})
