import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/*
 * The attack: somebody breaks off bodies, to fill the log with errors and to raise the alarm of a
 * database that is away.
 */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/** Sends this after the head of a login, ends the connection, and returns the whole answer. */
async function login(header: string, body: string): Promise<string> {
  const { hostname, host, port } = new URL(app.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let answer = ''
  socket.on('data', (text) => {
    answer += text
  })
  const lines = ['POST /api/auth/login HTTP/1.1', `Host: ${host}`, header]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  await once(socket, 'close')
  return answer
}

it.each([
  ['shorter than its length', 'Content-Length: 100', '{"email"'],
  ['without its last chunk', 'Transfer-Encoding: chunked', '8\r\n{"email"\r\n'],
  ['in the middle of a chunk', 'Transfer-Encoding: chunked', 'ff\r\n{"email"'],
  ['with a chunk of no size', 'Transfer-Encoding: chunked', '8\r\n{"email"\r\nxyz\r\n'],
])('a body that breaks off %s is a bad request, and no error in the log', async (...sent) => {
  app.logged.length = 0
  const [, header, body] = sent
  expect(await login(header, body)).toMatch(/^HTTP\/1.1 400 /)
  const line = { path: '/api/auth/login', status: 400 }
  await expect.poll(() => app.logged).toContainEqual(expect.objectContaining(line))
  expect(app.logged.filter(({ level }) => level > 30)).toEqual([])
})
