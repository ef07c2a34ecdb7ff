import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OAuth2Server, type OAuth2Service } from 'oauth2-mock-server'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/**
 * A simulated issuer that signs everybody in without asking. A test can make it give wrong answers
 * or none.
 */
export interface MockIssuer {
  url: string
  /** Emits an event before each answer. A listener may change the answer. */
  service: OAuth2Service
  /** What the server asked so far, such as 'POST /token'. */
  asked: string[]
  /** Answers that a test gives in place of the issuer's own, by path. */
  answers: Map<string, Answer>
  /** Removes all changes, and forgets what was asked. */
  reset(): void
  /** `goAway` refuses connections from now on. `comeBack` accepts them again. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

/** Starts an issuer on this machine. */
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
