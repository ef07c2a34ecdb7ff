import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { HttpEnv } from './env.ts'

/** Serves the paths under /storage/ with raw Node streams, past the framework. */
export type DataPlane = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** An idle connection is kept longer than most proxies keep theirs, so that they never write into a closing one. */
const keepAliveMs = 75_000

/** Bytes moved between socket and program at once; measured to double the throughput of the default. */
const highWaterMark = 1024 * 1024

/**
 * Starts listening and answers the server and the port it got.
 * @throws Node's listen errors, such as EADDRINUSE.
 */
export const listen = async (
  app: Hono<HttpEnv>,
  dataPlane: DataPlane,
  { host, port }: { host: string; port: number },
): Promise<{ server: Server; port: number }> => {
  const answer = getRequestListener(async (request, bindings) => {
    const response = await app.fetch(request, bindings)
    // Hono wraps what answers a HEAD, which hides that the bytes' own sender has answered already.
    return bindings.outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
  })
  const server = createServer(
    { highWaterMark, keepAliveTimeout: keepAliveMs },
    (request, response) => {
      if (request.url?.startsWith('/storage/')) void dataPlane(request, response)
      else void answer(request, response)
    },
  )
  // A large file over a slow line takes hours; the headers still have to come within a minute.
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
