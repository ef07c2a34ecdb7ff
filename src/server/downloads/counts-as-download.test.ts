import { describe, expect, it } from 'vitest'
import { countsAsDownload, expectedStart } from './counts-as-download.ts'

describe('countsAsDownload', () => {
  it.each([
    [0, undefined, true],
    [0, 'curl/8.5.0', true],
    [1, 'curl/8.5.0', false],
    [0, 'Twitterbot/1.0', false],
  ])('from %i, %s: %s', (start, userAgent, counts) => {
    expect(countsAsDownload(start, userAgent)).toBe(counts)
  })
})

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
    expect(expectedStart(method, new Headers(headers as Record<string, string>))).toBe(start)
  })
})
