import { describe, expect, it } from 'vitest'
import { countsAsDownload } from './send-download.ts'

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
