import { describe, expect, it } from 'vitest'
import {
  byteSize,
  invalid,
  invalidSecret,
  onOff,
  optionalOnOff,
  seconds,
  signupPolicy,
} from './setting-values.ts'

/**
 * Returns a function that finds the first problem with a value. At startup, the server prints the
 * setting's name followed by the problem's `message`.
 */
function createIssueFinder(setting: {
  safeParse(value: unknown): { error?: { issues: object[] } }
}) {
  return (value: string) => setting.safeParse(value).error?.issues[0]
}

describe('an on/off setting', () => {
  it.each([
    ['on', true],
    ['true', true],
    ['off', false],
    ['false', false],
  ])('accepts %s', (text, value) => {
    expect(onOff('off').parse(text)).toBe(value)
    expect(optionalOnOff().parse(text)).toBe(value)
  })

  it('uses its default, if any, when unset', () => {
    expect([onOff('on').parse(undefined), onOff('off').parse(undefined)]).toEqual([true, false])
    expect(optionalOnOff().parse(undefined)).toBeUndefined()
  })

  it.each(['', 'yes', 'On', '1'])('rejects %o', (text) => {
    const message = `is ${JSON.stringify(text)}: write on or off, or unset it for on`
    expect(createIssueFinder(onOff('on'))(text)).toMatchObject({ message })
  })
})

describe('a size', () => {
  it.each([
    ['0', 0],
    ['1500', 1500],
    ['2KiB', 2048],
    ['512MiB', 512 * 1024 ** 2],
    ['1GiB', 1024 ** 3],
    ['3TiB', 3 * 1024 ** 4],
    [undefined, null],
  ])('%s is %s bytes', (text, bytes) => {
    expect(byteSize('2 %').parse(text)).toBe(bytes)
  })

  it.each(['', '-1', '1.5GiB', '5 MiB', '5MB', '1e3', '1234567890123'])('rejects %o', (text) => {
    expect(createIssueFinder(byteSize('2 %'))(text)).toMatchObject({
      message: expect.stringContaining('give a size such as 512MiB, or 0, or unset it for 2 %'),
    })
  })
})

describe('a signup policy', () => {
  it.each([
    [undefined, 'open'],
    ['Closed', 'closed'],
    ['Example.org', ['example.org']],
    ['example.org , b.example.com', ['example.org', 'b.example.com']],
  ])('%s', (text, policy) => {
    expect(signupPolicy().parse(text)).toEqual(policy)
  })

  it.each(['', 'example', 'example.org,', 'open,example.org', 'a@example.org', '-a.org'])(
    'rejects %o',
    (text) => {
      expect(signupPolicy().safeParse(text).success).toBe(false)
    },
  )
})

it('the error shows an invalid value unless it is secret', () => {
  expect(invalid('try again').error({ input: 'abc' })).toBe('is "abc": try again')
  expect(invalidSecret('try again').error).toBe('cannot be used: try again')
})

describe('seconds', () => {
  it.each([
    ['0', 0],
    ['10', 10],
    ['600', 600],
    [undefined, 5],
  ])('accepts %s', (text, value) => {
    expect(seconds(5).parse(text)).toBe(value)
  })

  it.each(['-1', '601', '1.5', '10s', ''])('rejects %o', (text) => {
    expect(createIssueFinder(seconds(5))(text)).toMatchObject({
      message: expect.stringContaining('for 5'),
    })
  })
})
