import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { Admit } from './admit-host.ts'
import { type ConnectionLimits, connectionLimits } from './connection-limits.ts'
import type { HttpEnv } from './env.ts'
import { cutSlowBody } from './slow-body.ts'
import { StalledClients } from './stalled-clients.ts'
import { Turns } from './turns.ts'

/** Answers the requests under /storage/ with raw Node streams, without Hono. */
export type StorageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * An idle connection lives longer here than at most proxies, so that a proxy never writes to a
 * connection that is closing.
 */
const keepAliveMs = 75_000

/**
 * Starts listening and passes on the requests that `admit` allows. Returns the server and its port.
 * @throws Node's errors of listening, such as EADDRINUSE.
 */
export async function listen(
  app: Hono<HttpEnv>,
  answerStorage: StorageHandler,
  { host, port, admit }: { host: string; port: number; admit: Admit },
  limits: ConnectionLimits = connectionLimits,
): Promise<{ server: Server; port: number }> {
  const answer = getRequestListener(
    async (request, bindings) => {
      const response = await app.fetch(request, bindings)
      // Hono wraps the answer to a HEAD request, which hides that storage has answered already.
      return bindings.outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
    },
    { hostname: host }, // HTTP/1.0 requests, such as those of simple health checks, name no host.
  )
  const forStorage = (request: IncomingMessage) => request.url?.startsWith('/storage/') === true
  const turns = new Turns(limits)
  const begin = (request: IncomingMessage, response: ServerResponse, asksFirst: boolean) => {
    if (lacksHost(request)) return refuseUnheard(response, 400)
    if (!admit(request, response)) return
    // Storage gets an upload before the client is told to send its bytes, so that it can refuse the
    // upload first.
    if (forStorage(request)) return void answerStorage(request, response)
    if (asksFirst) response.writeContinue()
    cutSlowBody(request, limits.bodyMs)
    void answer(request, response)
  }
  // Otherwise Node would answer a request without a host before its turn, and no limit would count
  // it.
  const options = { keepAliveTimeout: keepAliveMs, requireHostHeader: false }
  const server = createServer(options, (request, response) =>
    turns.take(request, response, () => begin(request, response, false)),
  )
  server.on('checkContinue', (request, response) =>
    turns.take(request, response, () => begin(request, response, true)),
  )
  server.on('checkExpectation', (request, response) =>
    turns.take(request, response, () => refuseUnheard(response, 417)),
  )
  // A large file over a slow line takes hours, so Node's limit is off. Headers must still arrive
  // within a minute, and ConnectionLimits bounds all other waits.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const stalled = new StalledClients(turns.current)
  const looking = setInterval(() => stalled.look(), limits.stalledMs / StalledClients.patience)
  server.once('close', () => clearInterval(looking))
  return { server, port: (server.address() as AddressInfo).port }
}

/**
 * RFC 9112 §3.2: since HTTP/1.1 every request names its host. Simple health checks still speak
 * HTTP/1.0.
 */
function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion !== '1.0'
}

function refuseUnheard(response: ServerResponse, status: number): void {
  response.writeHead(status, { Connection: 'close' }).end()
}
