import { describe, expect, it } from 'vitest'
import { redactAddresses } from './redact.ts'

describe('redactAddresses', () => {
  it.each([
    ['550 5.1.1 <ada@example.org>: no such user', '550 5.1.1 <…@…>: no such user'],
    ["open '/data/outbox/2026-11-21-ada@example.org.eml.tmp'", "open '/data/outbox/…@…'"],
    ['RCPT TO:<"a da"@example.org>, ünï+x@bücher.example;', 'RCPT TO:<…@…>, …@…;'],
    ['root@localhost and mailto:ada@example.org?subject=x', '…@… and mailto:…@…'],
    [
      'at f (/app/node_modules/@aws-sdk/client-s3/index.js:1:2)',
      'at f (/app/node_modules/@aws-sdk/client-s3/index.js:1:2)',
    ],
    ['no address @ all', 'no address @ all'],
  ])('%j becomes %j', (text, redacted) => {
    expect(redactAddresses(text)).toBe(redacted)
  })

  it('redacts lists, fields, field names and causes, and stops at cycles', () => {
    const inner = Object.assign(new Error('x'), { recipient: 'ada@example.org' })
    const value: Record<string, unknown> = { rejected: ['ada@example.org'], inner: [inner], n: 1 }
    value['ada@example.org'] = null
    value.self = value
    const text = JSON.stringify(redactAddresses(value))
    expect(text).not.toContain('ada')
    expect(JSON.parse(text)).toMatchObject({
      rejected: ['…@…'],
      inner: [{ recipient: '…@…' }],
      n: 1,
      '…@…': null,
    })
  })

  it('leaves dates and bytes unchanged', () => {
    const date = new Date(0)
    expect(redactAddresses({ at: date })).toEqual({ at: date })
  })
})
