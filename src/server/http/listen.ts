import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { Admit } from './admit-host.ts'
import type { HttpEnv } from './env.ts'

/** Serves the paths under /storage/ with raw Node streams, past the framework. */
export type DataPlane = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** An idle connection is kept longer than most proxies keep theirs, so that they never write into a closing one. */
const keepAliveMs = 75_000

/** A body of the contract is small: whoever takes longer to send it holds a connection for nothing. */
const bodyMs = 30_000

/** Cuts a request whose body does not arrive in time. */
const endSlowBody = (request: IncomingMessage): void => {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const timer = setTimeout(() => request.destroy(), bodyMs)
  for (const end of ['end', 'close']) request.once(end, () => clearTimeout(timer))
}

/**
 * Starts listening, lets in what `admit` does, and answers the server and the port it got.
 * @throws Node's listen errors, such as EADDRINUSE.
 */
export const listen = async (
  app: Hono<HttpEnv>,
  dataPlane: DataPlane,
  { host, port, admit }: { host: string; port: number; admit: Admit },
): Promise<{ server: Server; port: number }> => {
  const answer = getRequestListener(
    async (request, bindings) => {
      const response = await app.fetch(request, bindings)
      // Hono wraps what answers a HEAD, which hides that the bytes' own sender has answered already.
      return bindings.outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
    },
    { hostname: host }, // for HTTP/1.0, as simple health checks speak it, which names no host
  )
  const forDataPlane = (request: IncomingMessage) => request.url?.startsWith('/storage/') === true
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    if (!admit(request, response)) return
    if (forDataPlane(request)) return void dataPlane(request, response)
    endSlowBody(request)
    void answer(request, response)
  })
  // An upload that will be refused is refused before its bytes are sent.
  server.on('checkContinue', (request, response) => {
    if (!admit(request, response)) return
    if (forDataPlane(request)) return void dataPlane(request, response)
    response.writeContinue()
    server.emit('request', request, response)
  })
  // A large file over a slow line takes hours. The headers still have to come within a minute, and
  // bodies that are not files in the time above.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return { server, port: (server.address() as AddressInfo).port }
}
