import { createHash } from 'node:crypto'

function sha256(text: string) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function inline(html: string, element: 'script' | 'style') {
  return new Set(
    [...html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(([, text]) =>
      sha256(text ?? ''),
    ),
  )
}

/**
 * Returns the headers that protect a page whose HTML is known when the server starts. Scripts and
 * styles run only from our own files, or inline if their hash is in the built HTML. So a script
 * that somebody types as the name of a file never runs.
 * @param html the page as built; inline scripts and styles must be in <script> and <style> tags
 * without attributes.
 * @param appUrl the public origin; with https, browsers are told to use https only.
 * @param pictures other origins whose pictures the page shows.
 * @param connect other origins that the page's scripts may send requests to.
 * @param referrer to whom the browser tells the page's address.
 */
export function pageHeaders(page: {
  html: string
  appUrl: URL
  pictures?: readonly string[]
  connect: readonly string[]
  referrer: 'no-referrer' | 'same-origin'
}): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      ["script-src 'self'", ...inline(page.html, 'script')].join(' '),
      ["style-src 'self'", ...inline(page.html, 'style')].join(' '),
      ["img-src 'self' data: blob:", ...(page.pictures ?? [])].join(' '),
      "font-src 'self'",
      "manifest-src 'self'",
      ["connect-src 'self'", ...page.connect].join(' '),
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': page.referrer,
    'x-content-type-options': 'nosniff',
    ...(page.appUrl.protocol === 'https:' && {
      'strict-transport-security': 'max-age=31536000',
    }),
  }
}
