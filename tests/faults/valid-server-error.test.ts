import { expect, it } from 'vitest'
import { Violation } from './expected-file.ts'
import { expectValidServerError } from './valid-server-error.ts'

const unavailableBody = { code: 'UNAVAILABLE', message: 'Try again shortly.' }

/** Builds a response that has a URL, like one returned by `fetch`. */
function makeResponse(status: number, body: string | ReadableStream, headers = {}): Response {
  const result = new Response(body, { status, headers })
  Object.defineProperty(result, 'url', { value: 'http://127.0.0.1/api/files' })
  return result
}

it.each([
  ['has Retry-After', 503, JSON.stringify(unavailableBody), { 'retry-after': '5' }],
  ['has a known error code', 507, '{"code":"STORAGE_FULL","message":"The server is full."}', {}],
  ["isn't a server error", 404, 'not found', {}],
])('accepts a response that %s', async (_, status, body, headers) => {
  await expectValidServerError(makeResponse(status, body, headers))
})

it('accepts a truncated response', async () => {
  const brokenBody = new ReadableStream({ pull: (body) => body.error(new Error('cut')) })
  await expectValidServerError(makeResponse(500, brokenBody))
})

it.each([
  ['an HTML page', 500, '<h1>Internal Server Error</h1>', {}],
  ['an empty body', 502, '', {}],
  ['null', 500, 'null', {}],
  ['an unknown code', 500, '{"code":"OOPS","message":"Oops."}', {}],
  ['a code with the wrong status', 500, JSON.stringify(unavailableBody), {}],
  ['an INTERNAL error', 500, '{"code":"INTERNAL","message":"Something went wrong."}', {}],
  ['a missing message', 507, '{"code":"STORAGE_FULL"}', {}],
  ['a 503 without Retry-After', 503, JSON.stringify(unavailableBody), {}],
  ['a Retry-After of 0', 503, JSON.stringify(unavailableBody), { 'retry-after': '0' }],
])('rejects %s', async (_, status, body, headers) => {
  await expect(expectValidServerError(makeResponse(status, body, headers))).rejects.toThrow(
    Violation,
  )
})
