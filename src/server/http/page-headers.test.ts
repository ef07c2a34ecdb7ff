import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { pageHeaders } from './built-pages.ts'

const page = {
  html: '<!doctype html><title>x</title>',
  appUrl: new URL('http://127.0.0.1:3000'),
  connect: [],
  referrer: 'no-referrer',
} as const

/** Returns the sources that the content security policy allows, by directive. */
function parsePolicy(changes: Partial<Parameters<typeof pageHeaders>[0]>) {
  const policy = pageHeaders({ ...page, ...changes })['content-security-policy'] ?? ''
  return new Map(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources]
    }),
  )
}

function hash(text: string) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

describe('the content security policy of a page', () => {
  it('allows no inline code if there is none', () => {
    const policy = parsePolicy({})
    expect(policy.get('default-src')).toEqual(["'none'"])
    expect(policy.get('script-src')).toEqual(["'self'"])
    expect(policy.get('style-src')).toEqual(["'self'"])
    expect(policy.get('base-uri')).toEqual(["'none'"])
    expect(policy.get('frame-ancestors')).toEqual(["'none'"])
    expect(policy.get('form-action')).toEqual(["'self'"])
    expect(policy.get('manifest-src')).toEqual(["'self'"])
  })

  it('allows each built inline script and style by its hash', () => {
    const html = `<script>one()\n</script><style>a{}</style><script src="/x.js"></script>
      <script>two()</script><style>a{}</style><script>two()</script><style></style>`
    const policy = parsePolicy({ html })
    expect(policy.get('script-src')).toEqual(["'self'", hash('one()\n'), hash('two()')])
    expect(policy.get('style-src')).toEqual(["'self'", hash('a{}'), hash('')])
  })

  it('allows pictures from our own and the given origins', () => {
    expect(parsePolicy({}).get('img-src')).toEqual(["'self'", 'data:', 'blob:'])
    const imageOrigins = ['https://*.googleusercontent.com']
    expect(parsePolicy({ pictures: imageOrigins }).get('img-src')).toEqual([
      "'self'",
      'data:',
      'blob:',
      ...imageOrigins,
    ])
  })

  it('allows requests to our own and the given origins', () => {
    expect(parsePolicy({}).get('connect-src')).toEqual(["'self'"])
    const connect = ['https://bytes.example.org', 'https://more.example.org']
    expect(parsePolicy({ connect }).get('connect-src')).toEqual(["'self'", ...connect])
  })
})

describe('the other headers of a page', () => {
  it('include HSTS only for a public https origin', () => {
    expect(pageHeaders(page)).not.toHaveProperty('strict-transport-security')
    const appUrl = new URL('https://files.example.org')
    const httpsHeaders = pageHeaders({ ...page, appUrl })
    expect(httpsHeaders['strict-transport-security']).toMatch(/^max-age=\d{8}$/)
  })

  it.each(['no-referrer', 'same-origin'] as const)('set the referrer policy: %s', (referrer) => {
    expect(pageHeaders({ ...page, referrer })).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': referrer,
      'x-content-type-options': 'nosniff',
    })
  })
})
