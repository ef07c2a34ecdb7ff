import { describe, expect, test } from 'vitest'
import { uploadPath } from './upload-path.ts'

const megabyte = 1024 ** 2

describe('the upload path (spec §7)', () => {
  const desktopUserAgent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/143.0.0.0 Safari/537.36'
  const android =
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/143.0.0.0 Mobile Safari/537.36'
  const tabletUserAgent =
    'Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 Chrome/143.0.0.0 Safari/537.36'
  const iphoneUserAgent =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15'
  const firefoxUserAgent = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'

  test.each([
    [desktopUserAgent, [1], 'foreground'],
    [desktopUserAgent, [50 * megabyte], 'foreground'],
    [desktopUserAgent, [50 * megabyte + 1], 'background'],
    [desktopUserAgent, [1, 50 * megabyte + 1, 1], 'background'],
    [android, [1], 'background'],
    [tabletUserAgent, [1], 'background'],
    [iphoneUserAgent, [0], 'background'],
    [firefoxUserAgent, [1], 'background'],
  ])('for %s, %j is %s', (userAgent, sizes, path) => {
    expect(
      uploadPath(
        sizes.map((size) => ({ size })),
        userAgent,
      ),
    ).toBe(path)
  })
})
