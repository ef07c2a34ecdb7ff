import { expect, test } from 'vitest'
import { readHandle, requestHandleFile } from './handle-file.ts'

/** Creates a fake handle. As in Chromium, reading it without permission throws NotAllowedError. */
function handleOf({
  permission = 'granted',
  answer: response = 'granted',
  isThere = true,
}: {
  permission?: PermissionState
  answer?: PermissionState | Error
  isThere?: boolean
}) {
  let asked = 0
  let state = permission
  const handle = {
    kind: 'file',
    name: 'a.txt',
    getFile: async () => {
      if (state !== 'granted') throw new DOMException('not allowed', 'NotAllowedError')
      if (!isThere) throw new DOMException('not there', 'NotFoundError')
      return new File(['a'], 'a.txt')
    },
    requestPermission: async () => {
      asked += 1
      if (response instanceof Error) throw response
      state = response
      return state
    },
  }
  return { handle: handle as unknown as FileSystemFileHandle, asked: () => asked }
}

test('a permitted file is read without a prompt', async () => {
  const { handle, asked } = handleOf({})
  expect(await readHandle(handle)).toMatchObject({ state: 'found', file: { name: 'a.txt' } })
  expect(await requestHandleFile(handle)).toMatchObject({ state: 'found' })
  expect(asked()).toBe(0)
})

test('an expired permission can be granted again', async () => {
  const { handle, asked } = handleOf({ permission: 'prompt' })
  expect(await readHandle(handle)).toEqual({ state: 'permission' })
  expect(asked()).toBe(0)
  expect(await requestHandleFile(handle)).toMatchObject({ state: 'found' })
  expect(asked()).toBe(1)
})

test('a denied or impossible prompt leaves the permission missing', async () => {
  const refused = handleOf({ permission: 'prompt', answer: 'denied' })
  expect(await requestHandleFile(refused.handle)).toEqual({ state: 'permission' })
  const unasked = handleOf({
    permission: 'prompt',
    answer: new DOMException('no click', 'SecurityError'),
  })
  expect(await requestHandleFile(unasked.handle)).toEqual({ state: 'permission' })
})

test('a moved or removed file is gone', async () => {
  const { handle } = handleOf({ isThere: false })
  expect(await readHandle(handle)).toEqual({ state: 'gone' })
  const later = handleOf({ permission: 'prompt', isThere: false })
  expect(await requestHandleFile(later.handle)).toEqual({ state: 'gone' })
})
