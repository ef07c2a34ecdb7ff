// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderHook } from '@testing-library/react'
import { createElement, type ReactNode } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { uploadRecord } from '../../../tests/support/upload-fixtures.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { recordKeyPrefix } from './records/record-key.ts'
import { useUploadsStore } from './use-uploads.ts'

type CurrentUser = typeof currentUserQuery.queryKey extends { [key: symbol]: infer T } ? T : never

beforeEach(() => localStorage.clear())

/** Returns the store that components get from the hook. `client` represents the app. */
function storeIn(client: QueryClient) {
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(QueryClientProvider, { client }, children)
  return renderHook(useUploadsStore, { wrapper }).result.current
}

function signIn(client: QueryClient, id: string | null) {
  client.setQueryData(currentUserQuery.queryKey, (id && { id }) as CurrentUser)
}

test('all screens of an app share the same uploads', () => {
  const client = new QueryClient()
  const store = storeIn(client)
  expect(storeIn(client)).toBe(store)
  expect(storeIn(new QueryClient())).not.toBe(store)
})

test('the store contains the saved uploads of the signed-in user', async () => {
  const left = uploadRecord({ ownerId: 'ada', status: 'completed', lastActivity: Date.now() })
  localStorage.setItem(recordKeyPrefix + left.id, JSON.stringify(left))
  const client = new QueryClient()
  const store = storeIn(client)
  const shown = () => store.getState().records.map(({ id }) => id)
  expect(shown()).toEqual([])
  for (const [user, ids] of [
    ['ada', [left.id]],
    ['grace', []],
    ['ada', [left.id]],
    [null, []],
  ] as const) {
    signIn(client, user)
    await expect.poll(shown, { message: String(user) }).toEqual(ids)
  }
})

test('a user who signed in before the store was created is picked up', async () => {
  const left = uploadRecord({ ownerId: 'ada', status: 'completed', lastActivity: Date.now() })
  localStorage.setItem(recordKeyPrefix + left.id, JSON.stringify(left))
  const client = new QueryClient()
  signIn(client, 'ada')
  const store = storeIn(client)
  await expect.poll(() => store.getState().records).toMatchObject([{ id: left.id }])
})

test('a start that the tier refuses refreshes the file list once', () => {
  const client = new QueryClient()
  const store = storeIn(client)
  client.setQueryData(['/api/files', {}], [])
  const isOld = () => client.getQueryState(['/api/files', {}])?.isInvalidated
  store.setState({ inlineError: 'Your tier holds 3 files.' })
  expect(isOld()).toBe(true)
  client.setQueryData(['/api/files', {}], [])
  store.setState({ inlineError: 'Your tier holds 3 files.', outcome: null })
  store.setState({ inlineError: null })
  expect(isOld()).toBe(false)
})
