import { once } from 'node:events'
import { Agent, createServer, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { closeServer, createShutdown } from './shutdown.ts'

describe('a shutdown', () => {
  test('closes every part once, in reverse order, despite failures', async () => {
    const closedParts: string[] = []
    const log = { error: vi.fn() }
    const shutdown = createShutdown(log)
    shutdown.add({ name: 'first', close: async () => void closedParts.push('first') })
    shutdown.add({ name: 'second', close: () => Promise.reject(new Error('stuck')) })
    shutdown.add({ name: 'third', close: async () => void closedParts.push('third') })
    await Promise.all([shutdown.close('signal'), shutdown.close('signal')])
    expect(closedParts).toEqual(['third', 'first'])
    expect(log.error).toHaveBeenCalledExactlyOnceWith(
      { err: new Error('stuck') },
      'Could not close the second',
    )
  })

  test('abandons open parts', async () => {
    const abandonedParts: string[] = []
    const shutdown = createShutdown({ error() {} })
    const makePart = (name: string) => ({
      name,
      close: async () => {},
      abandon: () => void abandonedParts.push(name),
    })
    shutdown.add(makePart('first'))
    shutdown.add(makePart('second'))
    shutdown.abandon()
    expect(abandonedParts).toEqual(['second', 'first'])
  })
})

describe('closing the server', () => {
  let server: Server
  let responses: ServerResponse[]
  let agent: Agent
  beforeEach(async () => {
    responses = []
    // Keeps connections open for reuse, as a browser does.
    agent = new Agent({ keepAlive: true })
    server = createServer((_, response) => {
      response.write('begun ')
      responses.push(response)
    })
    // Longer than the test, so that Node doesn't close idle connections on its own.
    server.keepAliveTimeout = 10 * 60_000
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    agent.destroy()
    server.closeAllConnections()
  })

  const startTransfer = async () => {
    const { port } = server.address() as AddressInfo
    const clientRequest = request({ port, host: '127.0.0.1', agent })
    clientRequest.end()
    const [response] = await once(clientRequest, 'response')
    return response
  }

  test('lets a running transfer finish and then closes its idle connection', async () => {
    const response = await startTransfer()
    const closePromise = closeServer(server, 60_000)
    responses[0]?.end('and finished')
    expect(await text(response)).toBe('begun and finished')
    await closePromise
    await expect(startTransfer()).rejects.toThrow()
  })

  test('destroys connections after the grace period', async () => {
    const response = await startTransfer()
    await closeServer(server, 1)
    await expect(text(response)).rejects.toThrow('aborted')
  })
})
