import { describe, expect, test } from 'vitest'
import { requests } from '../../shared/contract/requests.ts'
import { toRequest } from './request-dialog.tsx'
import { cannotCreateReason } from './request-list.tsx'

const empty = { title: 'Photos', message: '', openDays: '', maxLinks: '', maxFileSize: '' }

describe('the fields of a request', () => {
  test('become numbers and bytes', () => {
    const values = { ...empty, openDays: '7', maxLinks: '5', maxFileSize: '100MB', password: 'x' }
    expect(toRequest(values, null)).toEqual({
      title: 'Photos',
      message: null,
      openDays: 7,
      maxLinks: 5,
      maxFileSize: 100 * 1024 ** 2,
      password: 'x',
    })
  })

  test.each([
    { openDays: '' },
    { openDays: '31' },
    { openDays: '1.5' },
    { maxLinks: '0' },
    { maxFileSize: 'large' },
    { title: ' ' },
    { password: '' },
  ])('are refused in a new request: %j', (changes) => {
    const values = toRequest({ ...empty, openDays: '7', ...changes }, null)
    const { error } = requests.createRequest.body.safeParse(values)
    const names = new Set(error?.issues.map(({ path }) => path[0]))
    expect([...names]).toEqual(Object.keys(changes))
  })

  test('left empty keep the end and the password of an existing request', () => {
    const values = toRequest({ ...empty, password: '' }, { hasPassword: true })
    expect(requests.changeRequest.body.parse(values)).toEqual({
      title: 'Photos',
      message: null,
      maxLinks: null,
      maxFileSize: null,
    })
    expect(toRequest(empty, { hasPassword: true }).password).toBeNull()
  })
})

test.each([
  [{ tier: 'free', setting: 'on', openCount: 0 }, undefined],
  [{ tier: 'free', setting: 'on', openCount: 1 }, /1 open request at a time/],
  [{ tier: 'premium', setting: 'on', openCount: 50 }, undefined],
  [{ tier: 'free', setting: 'premium', openCount: 0 }, /need Premium/],
  [{ tier: 'premium', setting: 'premium', openCount: 1 }, undefined],
  [{ tier: 'premium', setting: 'off', openCount: 0 }, /turned off/],
] as const)('whether a request can be created: %j', (state, reason) => {
  if (reason === undefined) expect(cannotCreateReason(state)).toBeUndefined()
  else expect(cannotCreateReason(state)).toMatch(reason)
})
