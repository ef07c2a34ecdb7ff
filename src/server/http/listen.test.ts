import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePerson, startUpload } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/**
 * Sends raw text to the server. Returns everything received until the server closes the connection.
 * Half-closes the connection once the response begins, because the server lingers for some seconds
 * after a refusal.
 */
function exchange(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname)
    let responseText = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      responseText += chunk
      if (/HTTP\/1\.1 [2-5]/.test(responseText)) socket.end()
    })
    socket.on('end', () => resolve(responseText))
    socket.on('error', reject)
    socket.write(text)
  })
}

describe('a client that expects 100-continue', () => {
  const putRequest = (target: string, length: number) =>
    [
      `PUT ${target} HTTP/1.1`,
      `Host: ${new URL(app.url).host}`,
      'Content-Type: text/plain',
      `Content-Length: ${length}`,
      'Expect: 100-continue',
      'Connection: close',
      '',
      '',
    ].join('\r\n')

  it('gets one 100 Continue', async () => {
    const { uploadUrl } = await startUpload(await makePerson(app), { size: 4 })
    const responseText = await exchange(`${putRequest(uploadUrl.slice(app.url.length), 4)}body`)
    expect(responseText.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200'])
  })

  it('is refused before it sends the body', async () => {
    const { uploadUrl } = await startUpload(await makePerson(app), { size: 4 })
    const uploadPath = uploadUrl.slice(app.url.length)
    const tooLongResponseText = await exchange(putRequest(uploadPath, 5))
    expect(tooLongResponseText.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413'])
    const alteredResponseText = await exchange(putRequest(`${uploadPath}x`, 4))
    expect(alteredResponseText.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403'])
  })
})

describe('a simple health check', () => {
  it('can use HTTP/1.0 without a host', async () => {
    expect(await exchange('GET /api/health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200/)
  })
})

describe('a client that disconnects during its body', () => {
  it('is not logged as an error', async () => {
    const { hostname, port, host } = new URL(app.url)
    const lineCountBefore = app.logLines.length
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(
      `POST /api/auth/login HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
    )
    // The server's "100 Continue" shows that the request was admitted.
    await once(socket, 'data')
    socket.write('{', () => socket.destroy())
    await expect
      .poll(() =>
        app.logLines.slice(lineCountBefore).find(({ path }) => path === '/api/auth/login'),
      )
      .toMatchObject({ status: 400 })
    expect(app.logLines.slice(lineCountBefore).filter(({ level }) => level >= 50)).toEqual([])
  })
})
