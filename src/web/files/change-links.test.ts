// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { linkFile, listedLink } from '../../../tests/support/upload-fixtures.ts'
import {
  errorResponse,
  openPage,
  unauthorized,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import { ApiError, NetworkError } from '../api/call.ts'
import {
  deletedText,
  isPermanentError,
  useChangeLink,
  useClearExpired,
  useDelete,
  useDeleteLinks,
  useRenewLink,
} from './change-links.ts'
import type { ListedLink } from './listed-link.ts'
import { useLinks } from './use-links.ts'

const [a, b, c] = ['a', 'b', 'c'].map((id) =>
  listedLink({ id, shortCode: `code-${id}`, files: [linkFile({ id, name: `${id}.txt` })] }),
) as [ListedLink, ListedLink, ListedLink]

let page: WebPage
let serverLinks: ListedLink[]
beforeEach(() => {
  page = openPage()
  serverLinks = [a, b, c]
  page.on('GET /api/links', () => serverLinks)
})
afterEach(() => page.close())

/** Renders a hook together with `useLinks` to show how the hook changes the file list. */
function runWithList<Result>(hook: () => Result) {
  const { result } = page.run(() => ({ hookResult: hook(), list: useLinks() }))
  return {
    hookResult: () => result.current.hookResult,
    names: () => result.current.list.links?.map(({ id }) => id).join(''),
  }
}

async function openList<Result>(hook: () => Result) {
  const renderedHook = runWithList(hook)
  await expect.poll(renderedHook.names).toBe('abc')
  page.requests.length = 0
  return renderedHook
}

function countListRequests() {
  return page.requests.filter(({ call }) => call === 'GET /api/links').length
}

function failToFetch() {
  return Promise.reject(new TypeError('Failed to fetch'))
}

describe('deleting a link', () => {
  test('removes it from the list and shows a toast', async () => {
    const { hookResult, names } = await openList(useDelete)
    page.on('DELETE /api/links/code-b', () => {
      serverLinks = [a, c]
      return { message: 'File deleted' }
    })
    act(() => hookResult()({ link: b }))
    await expect.poll(names).toBe('ac')
    await expect.poll(page.text).toContain('File deletedb.txt')
    await expect.poll(countListRequests).toBe(1)
  })

  test('succeeds if it no longer exists', async () => {
    const { hookResult } = await openList(useDelete)
    page.on('DELETE /api/links/code-b', () => errorResponse(404, 'LINK_NOT_FOUND'))
    act(() => hookResult()({ link: b }))
    await expect.poll(page.text).toContain('File deleted')
  })

  test.each([
    ['no response', failToFetch],
    ['a server error', () => errorResponse(500)],
    ['an unrelated 404', () => errorResponse(404, 'NOT_FOUND')],
    ['a 401 from a proxy', () => errorResponse(401)],
  ])('fails with %s: the link reappears and a toast is shown', async (_, response) => {
    const { hookResult, names } = await openList(useDelete)
    page.on('DELETE /api/links/code-b', response)
    act(() => hookResult()({ link: b }))
    await expect.poll(page.text).toContain('Delete failedFailed to delete file. Please try again.')
    expect(names()).toBe('abc')
  })

  test('shows only the logout toast if the session has ended', async () => {
    const { hookResult } = await openList(useDelete)
    page.on('DELETE /api/links/code-b', unauthorized)
    act(() => hookResult()({ link: b }))
    await expect.poll(page.signOutCount).toBe(1)
    expect(page.text()).toBe('')
  })
})

describe('deleting links', () => {
  /**
   * Makes the server delete all requested files except those in `missingIds`, which it reports as
   * not found.
   */
  const respondToBulkDelete = (missingIds: readonly string[] = []) => {
    page.on('DELETE /api/files/bulk', ({ body }) => {
      const { fileIds } = body as { fileIds: string[] }
      const notFound = fileIds.filter((id) => missingIds.includes(id))
      return { message: '', deletedCount: fileIds.length - notFound.length, notFound }
    })
  }

  const bulkDeletion =
    (deletedIds: string[][] = []) =>
    () =>
      useDeleteLinks((ids) => deletedIds.push([...ids]))

  test('removes them from the list and shows how many were deleted', async () => {
    respondToBulkDelete()
    const deletedIds: string[][] = []
    const { hookResult, names } = await openList(bulkDeletion(deletedIds))
    serverLinks = [b]
    act(() => hookResult().mutate([a, c]))
    await expect.poll(names).toBe('b')
    await expect.poll(page.text).toContain('2 files deleted')
    expect(deletedIds).toEqual([['a', 'c']])
  })

  test('shows how many were already deleted', async () => {
    respondToBulkDelete(['b'])
    const { hookResult } = await openList(bulkDeletion())
    act(() => hookResult().mutate([a, b]))
    await expect.poll(page.text).toContain('1 file deleted')
    expect(page.text()).toContain('1 was already deleted.')
  })

  test.each([
    [1000, [1000]],
    [1001, [1000, 1]],
    [2500, [1000, 1000, 500]],
    [0, []],
  ])('splits %i files into calls with %j files', async (count, sizes) => {
    respondToBulkDelete()
    const { hookResult } = await openList(bulkDeletion())
    const manyFiles = Array.from({ length: count }, (_, n) => linkFile({ id: `file-${n}` }))
    act(() => hookResult().mutate([listedLink({ files: manyFiles })]))
    await expect.poll(() => hookResult().isSuccess).toBe(true)
    const requests = page.requests.filter(({ call }) => call === 'DELETE /api/files/bulk')
    expect(requests.map(({ body }) => (body as { fileIds: string[] }).fileIds.length)).toEqual(
      sizes,
    )
  })

  test('reloads the list if a later call fails', async () => {
    const deletedIds: string[][] = []
    const { hookResult, names } = await openList(bulkDeletion(deletedIds))
    let callCount = 0
    page.on('DELETE /api/files/bulk', ({ body }) => {
      callCount += 1
      if (callCount > 1) return errorResponse(503)
      serverLinks = [b, c]
      return { message: '', deletedCount: (body as { fileIds: [] }).fileIds.length, notFound: [] }
    })
    const files = Array.from({ length: 1000 }, (_, n) => linkFile({ id: `file-${n}` }))
    act(() => hookResult().mutate([a, listedLink({ id: 'many', files })]))
    await expect.poll(page.text).toContain('ErrorFailed to delete files. Please try again.')
    expect(deletedIds).toEqual([['a']])
    await expect.poll(names).toBe('bc')
    expect(countListRequests()).toBe(1)
  })
})

test('deleting one file of a link removes it from the link', async () => {
  serverLinks = [listedLink({ id: 'ab', files: [...a.files, ...b.files] })]
  const { result } = page.run(() => ({ remove: useDelete(), list: useLinks() }))
  await expect.poll(() => result.current.list.links?.length).toBe(1)
  page.on('DELETE /api/files/b', () => ({ message: 'File deleted' }))
  page.on('GET /api/links', () => new Promise(() => {}))
  const [link] = serverLinks as [ListedLink]
  act(() => result.current.remove({ link, file: b.files[0] as ListedLink['files'][number] }))
  await expect
    .poll(() => result.current.list.links?.[0])
    .toMatchObject({
      name: 'a.txt',
      totalSize: 1000,
      files: a.files,
    })
  expect(page.text()).toContain('File deletedb.txt')
})

test('a changed link is replaced in the list', async () => {
  const { result } = page.run(() => ({ change: useChangeLink(), list: useLinks() }))
  await expect.poll(() => result.current.list.links?.length).toBe(3)
  page.on('PATCH /api/links/code-b', () => ({ ...b, title: 'Minutes' }))
  await act(() => result.current.change({ code: 'code-b', changes: { title: 'Minutes' } }))
  await expect.poll(() => result.current.list.links?.[1]?.name).toBe('Minutes')
})

describe('clearing the history', () => {
  test('reloads the list and shows the server’s message', async () => {
    const { hookResult, names } = await openList(useClearExpired)
    page.on('DELETE /api/files/expired/bulk', () => {
      serverLinks = [a]
      return { message: '2 files deleted', deletedCount: 2 }
    })
    act(() => hookResult().mutate())
    await expect.poll(page.text).toContain('Expired history cleared2 files deleted')
    await expect.poll(names).toBe('a')
  })

  test('shows an error if it fails', async () => {
    const { hookResult } = await openList(useClearExpired)
    page.on('DELETE /api/files/expired/bulk', failToFetch)
    act(() => hookResult().mutate())
    await expect
      .poll(page.text)
      .toContain('Delete failedFailed to delete expired files. Please try again.')
  })
})

describe('renewing a link', () => {
  const renew = (hookResult: () => ReturnType<typeof useRenewLink>) =>
    act(() => hookResult().mutate({ code: 'code-b', days: 3 }))
  const failureTitle = 'Renewal failed'

  test('replaces the link in the list', async () => {
    const { result } = page.run(() => ({ own: useRenewLink(), list: useLinks() }))
    await expect.poll(() => result.current.list.links?.length).toBe(3)
    const renewedLink = { ...b, shortCode: 'another' }
    page.on('PATCH /api/links/code-b/renew', () => renewedLink)
    page.on('GET /api/links', () => new Promise(() => {}))
    renew(() => result.current.own)
    await expect.poll(() => result.current.list.links?.[1]).toEqual(renewedLink)
    expect(page.requests.find(({ call }) => call.startsWith('PATCH'))?.body).toEqual({
      expirationDays: 3,
    })
  })

  test.each([
    ['FILE_GONE', 410],
    ['LINK_NOT_FOUND', 404],
    ['TIER_RENEWAL', 403],
  ] as const)(
    'shows the server’s message after a permanent error (%s) and reloads the list',
    async (code, status) => {
      const { hookResult } = await openList(useRenewLink)
      page.on('PATCH /api/links/code-b/renew', () =>
        errorResponse(status, code, 'The server message.'),
      )
      renew(hookResult)
      await expect.poll(page.text).toContain(`${failureTitle}The server message.`)
      await expect.poll(countListRequests).toBe(1)
    },
  )

  test('shows the default text of the spec after a transient error', async () => {
    const { hookResult } = await openList(useRenewLink)
    page.on('PATCH /api/links/code-b/renew', () =>
      errorResponse(503, 'UNAVAILABLE', 'Not to be shown.'),
    )
    renew(hookResult)
    const text = `${failureTitle}Failed to renew the file link. Please try again.`
    await expect.poll(page.text).toContain(text)
    expect(countListRequests()).toBe(0)
  })
})

test.each([
  [new ApiError(410, '', { code: 'FILE_GONE' }), true],
  [new ApiError(403, '', { code: 'TIER_RENEWAL' }), true],
  [new ApiError(404, '', { code: 'LINK_NOT_FOUND' }), true],
  [new ApiError(404, '', { code: 'NOT_FOUND' }), false],
  [new ApiError(410, ''), false],
  [new NetworkError('FILE_GONE'), false],
  [null, false],
])('reports whether %s is permanent: %s', (error, isPermanent) => {
  expect(isPermanentError(error)).toBe(isPermanent)
})

test.each([
  [0, '0 files deleted'],
  [1, '1 file deleted'],
  [1088, '1,088 files deleted'],
])('the toast for %i deleted files: %j', (count, text) => expect(deletedText(count)).toBe(text))
