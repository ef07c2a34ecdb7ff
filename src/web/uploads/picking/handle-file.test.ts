import { expect, test } from 'vitest'
import { readHandle, requestHandleFile } from './handle-file.ts'

/** Creates a fake handle. As in Chromium, reading it without permission throws NotAllowedError. */
function makeHandle({
  permission = 'granted',
  response = 'granted',
  isThere = true,
}: {
  permission?: PermissionState
  response?: PermissionState | Error
  isThere?: boolean
}) {
  let promptCount = 0
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
      promptCount += 1
      if (response instanceof Error) throw response
      state = response
      return state
    },
  }
  return { handle: handle as unknown as FileSystemFileHandle, promptCount: () => promptCount }
}

test('a permitted file is read without a prompt', async () => {
  const { handle, promptCount } = makeHandle({})
  expect(await readHandle(handle)).toMatchObject({ state: 'found', file: { name: 'a.txt' } })
  expect(await requestHandleFile(handle)).toMatchObject({ state: 'found' })
  expect(promptCount()).toBe(0)
})

test('an expired permission can be granted again', async () => {
  const { handle, promptCount } = makeHandle({ permission: 'prompt' })
  expect(await readHandle(handle)).toEqual({ state: 'permission' })
  expect(promptCount()).toBe(0)
  expect(await requestHandleFile(handle)).toMatchObject({ state: 'found' })
  expect(promptCount()).toBe(1)
})

test("a denied or blocked prompt doesn't grant the permission", async () => {
  const deniedHandle = makeHandle({ permission: 'prompt', response: 'denied' })
  expect(await requestHandleFile(deniedHandle.handle)).toEqual({ state: 'permission' })
  const blockedHandle = makeHandle({
    permission: 'prompt',
    response: new DOMException('no click', 'SecurityError'),
  })
  expect(await requestHandleFile(blockedHandle.handle)).toEqual({ state: 'permission' })
})

test('a moved or removed file is gone', async () => {
  const { handle } = makeHandle({ isThere: false })
  expect(await readHandle(handle)).toEqual({ state: 'gone' })
  const removedHandle = makeHandle({ permission: 'prompt', isThere: false })
  expect(await requestHandleFile(removedHandle.handle)).toEqual({ state: 'gone' })
})
