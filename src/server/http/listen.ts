import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, BlockList } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { Logger } from 'pino'
import { endpoints } from '../../shared/contract/index.ts'
import type { HttpEnv } from './env.ts'
import type { Admit } from './hosts.ts'
import {
  type ConnectionLimits,
  connectionLimits,
  limitBodyTime,
  limitConnections,
  PipelineQueue,
  StalledClients,
} from './limits.ts'

/** Handles requests under /storage/, bypassing Hono. */
export type StorageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * How long an idle connection stays open: longer than the idle timeout of most proxies, so that a
 * proxy doesn't reuse a connection that the server is closing.
 */
const keepAliveMs = 75_000

export interface ListenOptions {
  host: string
  port: number
  admit: Admit
  trustedProxies: BlockList | null
  log: Pick<Logger, 'warn'>
  /** Called when a request starts being handled. */
  watch(request: IncomingMessage, response: ServerResponse): void
  /** Once aborted, every response closes its connection, so that clients move to other servers. */
  stopping?: AbortSignal
}

/**
 * Starts listening. Requests that pass `admit` go to the app or to storage.
 * @throws Node's listen errors, such as EADDRINUSE.
 */
export async function listen(
  app: Hono<HttpEnv>,
  handleStorage: StorageHandler,
  { host, port, admit, trustedProxies, log, watch, stopping }: ListenOptions,
  limits: ConnectionLimits = connectionLimits,
): Promise<{ server: Server; port: number }> {
  const requestListener = getRequestListener(
    async (request, bindings) => {
      const response = await app.fetch(request, bindings)
      // For HEAD, `app.fetch` returns a copy of the response. The adapter can't tell from the copy
      // that storage has already sent the response.
      return bindings.outgoing.headersSent ? RESPONSE_ALREADY_SENT : response
    },
    { hostname: host }, // for HTTP/1.0 requests without a host
  )
  const isStorageRequest = (request: IncomingMessage) =>
    request.url?.startsWith('/storage/') === true
  const pipeline = new PipelineQueue(limits.waitingRequests)
  const handleRequest = (
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
  ) => {
    watch(request, response)
    if (stopping?.aborted) response.shouldKeepAlive = false
    if (isHostMissing(request)) return closeWithStatus(response, 400)
    if (!admit(request, response)) return
    // A client that sends `Expect: 100-continue` waits for `writeContinue` before it sends the
    // body. Storage calls it itself, so that an upload can be refused before any byte is sent.
    if (isStorageRequest(request)) return void handleStorage(request, response)
    if (!isStreamed(request)) {
      if (expectsContinue) response.writeContinue()
      limitBodyTime(request, response, limits.bodyMs)
    }
    void requestListener(request, response)
  }
  // Disables Node's own Host check, which would respond before earlier requests on the connection
  // have been answered, and bypass the limits.
  const options = {
    keepAliveTimeout: keepAliveMs,
    requireHostHeader: false,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.headersMs / 2,
    // No limit, because a large file takes hours on a slow connection. `bodyMs` and `stalledMs`
    // limit all other waits.
    requestTimeout: 0,
  }
  const server = createServer(options, (request, response) =>
    pipeline.run(request, response, () => handleRequest(request, response, false)),
  )
  limitConnections(server, limits.connections, { log, trustedProxies })
  server.on('checkContinue', (request, response) =>
    pipeline.run(request, response, () => handleRequest(request, response, true)),
  )
  server.on('checkExpectation', (request, response) =>
    pipeline.run(request, response, () => closeWithStatus(response, 417)),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const stalledClients = new StalledClients(pipeline.active)
  const checkMs = limits.stalledMs / StalledClients.minProgress.checks
  const checkTimer = setInterval(() => stalledClients.check(), checkMs)
  server.once('close', () => clearInterval(checkTimer))
  return { server, port: (server.address() as AddressInfo).port }
}

const [streamedPath] = endpoints.putFile.path.split('{') as [string]

/** True if the body is a file that goes to storage as it arrives, for as long as it takes. */
function isStreamed({ method, url = '' }: IncomingMessage): boolean {
  return method === endpoints.putFile.method && url.startsWith(streamedPath)
}

/** RFC 9112 §3.2: HTTP/1.1 requires a host. Simple health checks still use HTTP/1.0. */
function isHostMissing({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion !== '1.0'
}

function closeWithStatus(response: ServerResponse, status: number): void {
  response.writeHead(status, { Connection: 'close' }).end()
}
