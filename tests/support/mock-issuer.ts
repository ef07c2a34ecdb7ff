import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OAuth2Server, type OAuth2Service } from 'oauth2-mock-server'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** An issuer that signs everyone in, and can send wrong responses or fail. */
export interface MockIssuer {
  url: string
  /** Emits an event before each response, which listeners may change. */
  service: OAuth2Service
  /** Requests so far, such as 'POST /token'. */
  asked: string[]
  /** Responses by path that replace the issuer's own. */
  answers: Map<string, Answer>
  /** Clears all overrides and recorded requests. */
  reset(): void
  /** `goAway` stops the issuer until `comeBack`. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

export async function startMockIssuer(): Promise<MockIssuer> {
  const { issuer, service } = new OAuth2Server()
  await issuer.keys.generate('RS256')
  const asked: string[] = []
  const answers = new Map<string, Answer>()
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    asked.push(`${request.method} ${path}`)
    const answer = answers.get(path) ?? service.requestHandler
    answer(request, response)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  issuer.url = `http://127.0.0.1:${port}`
  return {
    url: issuer.url,
    service,
    asked,
    answers,
    reset() {
      service.removeAllListeners()
      answers.clear()
      asked.length = 0
    },
    goAway: stop,
    comeBack: () => listen(port),
    close: async () => void (server.listening && (await stop())),
  }
}
