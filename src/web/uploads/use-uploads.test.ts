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

/** Returns the store that the hook provides to components. `client` represents the app. */
function renderStore(client: QueryClient) {
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(QueryClientProvider, { client }, children)
  return renderHook(useUploadsStore, { wrapper }).result.current
}

function signIn(client: QueryClient, id: string | null) {
  client.setQueryData(currentUserQuery.queryKey, (id && { id }) as CurrentUser)
}

test('all screens of an app share the same uploads', () => {
  const client = new QueryClient()
  const store = renderStore(client)
  expect(renderStore(client)).toBe(store)
  expect(renderStore(new QueryClient())).not.toBe(store)
})

test('the store contains the saved uploads of the signed-in user', async () => {
  const oldRecord = uploadRecord({ ownerId: 'ada', status: 'completed', lastActivity: Date.now() })
  localStorage.setItem(recordKeyPrefix + oldRecord.id, JSON.stringify(oldRecord))
  const client = new QueryClient()
  const store = renderStore(client)
  const getShownIds = () => store.getState().records.map(({ id }) => id)
  expect(getShownIds()).toEqual([])
  for (const [user, ids] of [
    ['ada', [oldRecord.id]],
    ['grace', []],
    ['ada', [oldRecord.id]],
    [null, []],
  ] as const) {
    signIn(client, user)
    await expect.poll(getShownIds, { message: String(user) }).toEqual(ids)
  }
})

test('a user who signed in before the store was created is detected', async () => {
  const oldRecord = uploadRecord({ ownerId: 'ada', status: 'completed', lastActivity: Date.now() })
  localStorage.setItem(recordKeyPrefix + oldRecord.id, JSON.stringify(oldRecord))
  const client = new QueryClient()
  signIn(client, 'ada')
  const store = renderStore(client)
  await expect.poll(() => store.getState().records).toMatchObject([{ id: oldRecord.id }])
})

test('a start rejected by the tier limit refreshes the list of links once', () => {
  const client = new QueryClient()
  const store = renderStore(client)
  client.setQueryData(['/api/links', {}], [])
  const isStale = () => client.getQueryState(['/api/links', {}])?.isInvalidated
  store.setState({ inlineError: 'Your tier holds 3 files.' })
  expect(isStale()).toBe(true)
  client.setQueryData(['/api/links', {}], [])
  store.setState({ inlineError: 'Your tier holds 3 files.', outcome: null })
  store.setState({ inlineError: null })
  expect(isStale()).toBe(false)
})
