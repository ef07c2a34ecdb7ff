import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OAuth2Server, type OAuth2Service } from 'oauth2-mock-server'

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * An OpenID Connect issuer that signs everyone in. Tests can make it fail or send incorrect
 * responses.
 */
export interface MockIssuer {
  url: string
  /** Emits an event before each response, which listeners can change. */
  service: OAuth2Service
  /** The requests received so far, in a form such as 'POST /token'. */
  requests: string[]
  /** Responses that replace the issuer's own, by path. */
  overrides: Map<string, RequestHandler>
  reset(): void
  /** Makes the issuer unreachable until `goOnline` is called. */
  goOffline(): Promise<void>
  goOnline(): Promise<void>
  close(): Promise<void>
}

export async function startMockIssuer(): Promise<MockIssuer> {
  const { issuer, service } = new OAuth2Server()
  await issuer.keys.generate('RS256')
  const requests: string[] = []
  const overrides = new Map<string, RequestHandler>()
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    requests.push(`${request.method} ${path}`)
    const handler = overrides.get(path) ?? service.requestHandler
    handler(request, response)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  issuer.url = `http://127.0.0.1:${port}`
  return {
    url: issuer.url,
    service,
    requests,
    overrides,
    reset() {
      service.removeAllListeners()
      overrides.clear()
      requests.length = 0
    },
    goOffline: stop,
    goOnline: () => listen(port),
    close: async () => void (server.listening && (await stop())),
  }
}
