import { expect, test } from 'vitest'
import { ApiError, NetworkError } from './call.ts'
import { createQueryClient, isSignedOutError } from './query-client.ts'

const unauthorizedError = new ApiError(401, '{"message":"Unauthorized","code":"UNAUTHORIZED"}')

test.each([
  [unauthorizedError, true],
  [new ApiError(401, 'Unauthorized'), true],
  [new ApiError(401, '{"message":"Invalid email or password. Please try again."}'), false],
  [new ApiError(403, 'Unauthorized'), false],
  [new ApiError(500, '401: Unauthorized'), false],
  [new NetworkError('401: Unauthorized'), false],
  [new Error('401: Unauthorized'), false],
])('isSignedOutError for %s is %s', (error, expected) => {
  expect(isSignedOutError(error)).toBe(expected)
})

test('reports queries and mutations that fail because the session has ended, but no other errors', async () => {
  let signOutCount = 0
  const client = createQueryClient(() => {
    signOutCount += 1
  })
  const rejectWith = (error: Error) => () => Promise.reject(error)

  await client
    .fetchQuery({ queryKey: ['a'], queryFn: rejectWith(unauthorizedError) })
    .catch(() => undefined)
  expect(signOutCount).toBe(1)

  const mutation = client
    .getMutationCache()
    .build(client, { mutationFn: rejectWith(unauthorizedError) })
  await mutation.execute(undefined).catch(() => undefined)
  expect(signOutCount).toBe(2)

  await client
    .fetchQuery({ queryKey: ['b'], queryFn: rejectWith(new ApiError(500, 'broken')) })
    .catch(() => undefined)
  expect(signOutCount).toBe(2)
})

test('does not retry a failed query', async () => {
  let requestCount = 0
  const client = createQueryClient(() => undefined)
  await client
    .fetchQuery({
      queryKey: ['c'],
      queryFn: () => {
        requestCount += 1
        return Promise.reject(new ApiError(503, 'away'))
      },
    })
    .catch(() => undefined)
  expect(requestCount).toBe(1)
})
