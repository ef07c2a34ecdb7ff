import { describe, expect, it } from 'vitest'
import { countsAsDownload } from './counts-as-download.ts'

describe('countsAsDownload', () => {
  it.each([
    ['GET', {}, true],
    ['HEAD', {}, false],
    ['GET', { range: 'bytes=0-' }, true],
    ['GET', { range: 'bytes=0-99' }, true],
    ['GET', { range: 'bytes=00-99' }, true],
    ['GET', { range: 'Bytes=0-' }, true],
    ['GET', { range: 'bytes=1-' }, false],
    ['GET', { range: 'bytes=100-199' }, false],
    ['GET', { range: 'bytes=-1' }, false],
    ['GET', { range: 'lines=5-' }, true], // an unknown unit is ignored: the whole file is sent
    ['GET', { 'if-none-match': '"x"' }, false],
    ['GET', { 'user-agent': 'curl/8.5.0' }, true],
    ['GET', { 'user-agent': 'Twitterbot/1.0' }, false],
  ])('%s with %o: %s', (method, headers, counts) => {
    expect(countsAsDownload(method, new Headers(headers as Record<string, string>))).toBe(counts)
  })
})
