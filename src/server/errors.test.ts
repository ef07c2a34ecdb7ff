import { expect, it } from 'vitest'
import { type ErrorCode, errorTable } from '../shared/contract/errors.ts'
import { AppError, codeOf, StartupError } from './errors.ts'

const codes = Object.keys(errorTable) as ErrorCode[]

it.each(codes.filter((code) => errorTable[code].status === 503))(
  '%s includes Retry-After, whatever the message and cause',
  (code) => {
    const { headers } = new AppError(code, { message: 'More precise.', cause: new Error('away') })
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
  },
)

it("errors that retrying can't fix have no Retry-After", () => {
  for (const code of codes) {
    if (errorTable[code].status === 503) continue
    expect(new AppError(code).headers, code).toEqual({})
  }
})

it('a use case can override Retry-After', () => {
  const { headers } = new AppError('UNAVAILABLE', { headers: { 'retry-after': '1' } })
  expect(headers).toEqual({ 'retry-after': '1' })
})

it.each([
  [Object.assign(new Error('gone'), { code: 'ENOENT' }), 'ENOENT'],
  [Object.assign(new Error('odd'), { code: 17 }), undefined],
  [new Error('none'), undefined],
  [{ code: 'ENOENT' }, undefined],
  [null, undefined],
])('the code of %s is %s', (error, code) => {
  expect(codeOf(error)).toBe(code)
})

it('a startup error keeps its message and cause', () => {
  const cause = new Error('the disk')
  const error = new StartupError('Do this.', { cause })
  expect(error).toMatchObject({ name: 'StartupError', message: 'Do this.', cause })
})
