import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../errors.ts'
import { describeError, shellQuote, shortenReason } from './check.ts'

/** Creates an error with extra properties, like the errors that libraries throw. */
function createError(message: string, properties: object, options?: ErrorOptions): Error {
  return Object.assign(new Error(message, options), properties)
}

describe('the reason shown for an error', () => {
  const connectionRefused = createError('connect ECONNREFUSED', { code: 'ECONNREFUSED' })

  it.each([
    ['its message', new Error('no room'), 'no room'],
    ['the system error code if there is no message', createError('', { code: 'EPIPE' }), 'EPIPE'],
    ['its name if there is no message or code', new TypeError(''), 'TypeError'],
    [
      'the storage error name and its message',
      createError('No.', { name: 'NoSuchKey', $fault: 'client' }),
      'NoSuchKey: No',
    ],
    [
      'the cause of an AppError',
      new AppError('UNAVAILABLE', { cause: connectionRefused }),
      connectionRefused.message,
    ],
    [
      'the message of an AppError without a cause',
      new AppError('NOT_FOUND'),
      new AppError('NOT_FOUND').message.replace(/\.$/, ''),
    ],
    [
      'the cause of a failed query',
      createError('f', { query: 'select', params: ['ada'] }, { cause: connectionRefused }),
      connectionRefused.message,
    ],
    [
      'the statement without its values',
      createError('ada', { query: 'select $1', params: ['ada'] }),
      'Failed query: select $1',
    ],
    [
      'the message of another error, not its cause',
      new Error('no room', { cause: connectionRefused }),
      'no room',
    ],
    ['the thrown value if it is a string', 'a text', 'a text'],
    ['a placeholder for an empty string', '', 'no reason was given'],
  ])('is %s', (_, error, reason) => {
    expect(describeError(error)).toBe(reason)
  })

  it('is that of the innermost cause', () => {
    const query = createError('f', { query: 'select', params: [] }, { cause: connectionRefused })
    expect(describeError(new AppError('UNAVAILABLE', { cause: query }))).toBe(
      connectionRefused.message,
    )
  })
})

describe('a reason', () => {
  it.each([
    [' two\n\t lines.', 'two lines'],
    ['an end...', 'an end'],
    ['3.5 is no end', '3.5 is no end'],
    ['x'.repeat(300), 'x'.repeat(300)],
    ['x'.repeat(301), `${'x'.repeat(299)}…`],
  ])('is one line without a trailing period: %j', (reason, line) => {
    expect(shortenReason(reason)).toBe(line)
  })

  it('is at most one line of 300 characters', () => {
    const texts = fc.string({ maxLength: 700 }).map((text) => text.replaceAll('z', '\n'))
    fc.assert(
      fc.property(texts, (text) => {
        expect(shortenReason(text)).toMatch(/^[^\n]{0,300}$/)
      }),
    )
  })
})

it.each([
  ['/srv/mayfly/data', '/srv/mayfly/data'],
  ['/srv/my data', "'/srv/my data'"],
  ["/srv/ada's; rm -rf", "'/srv/ada'\\''s; rm -rf'"],
  ["it's ada's", "'it'\\''s ada'\\''s'"],
  ['', "''"],
])('the path %j is quoted for a shell as %s', (path, quotedPath) => {
  expect(shellQuote(path)).toBe(quotedPath)
})
