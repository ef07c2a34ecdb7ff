import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { expectedStart } from './expected-start.ts'

const size = 1000
const validators = { etag: '"v1"', lastModified: new Date('2026-11-21T00:00:00.400Z') }
const modified = 'Sat, 21 Nov 2026 00:00:00 GMT'
const later = 'Sat, 21 Nov 2026 00:00:01 GMT'
const earlier = 'Fri, 20 Nov 2026 23:59:59 GMT'

function startOf(method: string, headers: IncomingHttpHeaders) {
  return expectedStart({ method, headers }, size, async () => validators)
}

describe('expectedStart', () => {
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
    ['GET', { 'if-modified-since': modified }, null],
    ['GET', { 'if-modified-since': earlier }, 0],
    ['GET', { 'if-match': '"v1"' }, 0],
    ['GET', { 'if-match': '"v2"' }, null],
    ['GET', { 'if-unmodified-since': later }, 0],
    ['GET', { 'if-unmodified-since': earlier }, null],
    ['GET', { range: 'bytes=5-', 'if-range': '"v1"' }, 5],
    ['GET', { range: 'bytes=5-', 'if-range': '"v2"' }, 0],
    ['GET', { range: 'bytes=5-', 'if-range': modified }, 5],
    ['GET', { range: 'bytes=5-', 'if-range': later }, 0],
    ['GET', { 'if-range': '"v2"' }, 0],
  ])('%s with %o: %s', async (method, headers, start) => {
    expect(await startOf(method, headers)).toBe(start)
  })

  it('asks for the validators only where the request is conditional', async () => {
    const unasked = () => Promise.reject(new Error('asked'))
    const plain = { method: 'GET', headers: { range: 'bytes=5-' } }
    expect(await expectedStart(plain, size, unasked)).toBe(5)
    const conditional = { method: 'GET', headers: { 'if-none-match': '"v1"' } }
    await expect(expectedStart(conditional, size, unasked)).rejects.toThrow('asked')
  })

  it('expects no bytes where the other server has none', async () => {
    const request = { method: 'GET', headers: { 'if-none-match': '"v2"' } }
    expect(await expectedStart(request, size, async () => null)).toBeNull()
  })
})
