import { expect, it } from 'vitest'
import { expectClearError } from './clear-error.ts'
import { Violation } from './expected-file.ts'

const unavailable = { code: 'UNAVAILABLE', message: 'Try again shortly.' }

/** Builds a response as received by a client, with a URL. */
function answer(status: number, body: string | ReadableStream, headers = {}): Response {
  const made = new Response(body, { status, headers })
  Object.defineProperty(made, 'url', { value: 'http://127.0.0.1/api/files' })
  return made
}

it.each([
  ['says when to retry', 503, JSON.stringify(unavailable), { 'retry-after': '5' }],
  ['is an error of ours', 507, '{"code":"STORAGE_FULL","message":"The server is full."}', {}],
  ['is no refusal by a server at fault', 404, 'not found', {}],
])('accepts a response that %s', async (_, status, body, headers) => {
  await expectClearError(answer(status, body, headers))
})

it('accepts a truncated response', async () => {
  const broken = new ReadableStream({ pull: (body) => body.error(new Error('cut')) })
  await expectClearError(answer(500, broken))
})

it.each([
  ['a page', 500, '<h1>Internal Server Error</h1>', {}],
  ['nothing', 502, '', {}],
  ['null', 500, 'null', {}],
  ['no known code', 500, '{"code":"OOPS","message":"Oops."}', {}],
  ['the code of another status', 500, JSON.stringify(unavailable), {}],
  ['a defect', 500, '{"code":"INTERNAL","message":"Something went wrong."}', {}],
  ['no message', 507, '{"code":"STORAGE_FULL"}', {}],
  ['a 503 without Retry-After', 503, JSON.stringify(unavailable), {}],
  ['a Retry-After of no seconds', 503, JSON.stringify(unavailable), { 'retry-after': '0' }],
])('rejects %s', async (_, status, body, headers) => {
  await expect(expectClearError(answer(status, body, headers))).rejects.toThrow(Violation)
})
