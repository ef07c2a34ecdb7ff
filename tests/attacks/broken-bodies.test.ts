import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/*
 * The attack: send truncated request bodies to flood the log with errors and to trigger the alarm
 * for an unreachable database.
 */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/**
 * Sends a login request with this header and body, then half-closes the connection. Returns the
 * response.
 */
async function login(header: string, body: string): Promise<string> {
  const { hostname, host, port } = new URL(app.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let response = ''
  socket.on('data', (text) => {
    response += text
  })
  const lines = ['POST /api/auth/login HTTP/1.1', `Host: ${host}`, header]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  await once(socket, 'close')
  return response
}

it.each([
  ['shorter than its Content-Length', 'Content-Length: 100', '{"email"'],
  ['without the last chunk', 'Transfer-Encoding: chunked', '8\r\n{"email"\r\n'],
  ['cut off inside a chunk', 'Transfer-Encoding: chunked', 'ff\r\n{"email"'],
  ['with a malformed chunk size', 'Transfer-Encoding: chunked', '8\r\n{"email"\r\nxyz\r\n'],
])('answers a body %s with 400 and logs no error', async (...sent) => {
  app.logLines.length = 0
  const [, header, body] = sent
  expect(await login(header, body)).toMatch(/^HTTP\/1.1 400 /)
  const line = { path: '/api/auth/login', status: 400 }
  await expect.poll(() => app.logLines).toContainEqual(expect.objectContaining(line))
  expect(app.logLines.filter(({ level }) => level > 30)).toEqual([])
})
