import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeBodyFlow } from './body-flow.ts'

/** A request sent through the proxy, and its outcome. */
export interface Exchange {
  method: string
  /** The request's path and query. */
  url: string
  bodyBytes: number
  /** The status that the client received, or null if there was no response. */
  status: number | null
  /**
   * True for a PUT that was interrupted by `stallPutsAfter`, `respondToPuts`, `reset` or `cut`
   * before its response arrived.
   */
  interrupted: boolean
}

type Matches = (exchange: Exchange) => boolean

/**
 * A proxy that simulates failures between a client and a server or bucket. It forwards all headers,
 * including Host, unchanged, so presigned URLs stay valid.
 */
export interface ChaosProxy {
  /** The origin that clients use. */
  url: string
  /** Makes the proxy forward all requests to this local port. */
  forwardTo(port: number): void
  exchanges: readonly Exchange[]
  /**
   * Forwards another `bytes` bytes of PUT bodies, then stalls all PUTs. Resolves when the first one
   * is stalled.
   */
  stallPutsAfter(bytes: number): Promise<void>
  /** Responds with this status to each PUT in progress, as soon as its body is complete. */
  respondToPuts(status: number): void
  /** Responds with this status to new requests that match, until `restore` is called. */
  respondWith(status: number, matches: Matches): void
  stall(matches: Matches): void
  /** Delays each new request by `delayMs()` milliseconds, until `restore` is called. */
  delay(delayMs: () => number): void
  /**
   * Forwards requests that match, but drops the connection instead of responding, until `restore`
   * is called. The client can't tell whether such a request succeeded.
   */
  dropResponses(matches: Matches): void
  /** Drops the connections of all PUTs in progress, both to the client and to the server. */
  reset(): void
  /**
   * Until `restore` is called, drops all client connections, including new ones. Connections to the
   * server stay open, as when a client loses its network.
   */
  cut(): void
  restore(): void
  /** Forgets past exchanges, which saves memory in long runs. */
  clearExchanges(): void
  close(): Promise<void>
}

interface PendingRequest {
  exchange: Exchange
  /**
   * Waits until the request is complete, then sends a response with this status in place of the
   * server's. Null once the server's response has begun.
   */
  respond: ((status: number) => void) | null
  reset: () => void
}

/**
 * Starts a proxy that simulates no failures yet. It forwards nothing until `forwardTo` is called.
 */
export async function startChaosProxy(): Promise<ChaosProxy> {
  let targetPort = 0
  let isCut = false
  let arePutsStalled = false
  let forcedResponse: { status: number; matches: Matches } | null = null
  let shouldStall: Matches | null = null
  let shouldDropResponse: Matches | null = null
  let delayMs = () => 0
  /** Each callback resumes one stalled request. */
  const resumeCallbacks = new Set<() => void>()
  const exchanges: Exchange[] = []
  const pendingRequests = new Set<PendingRequest>()
  const flow = makeBodyFlow()
  // No keep-alive, because the server might close an idle connection just as the proxy reuses it.
  // Tests would then fail at random.
  const agent = new Agent({ keepAlive: false })

  const forward = (request: IncomingMessage, response: ServerResponse, exchange: Exchange) => {
    const { method = 'GET', url = '/', rawHeaders } = request
    const upstreamRequest = httpRequest({
      agent,
      host: '127.0.0.1',
      port: targetPort,
      method,
      path: url,
    })
    for (const [name, values] of groupHeaders(rawHeaders)) upstreamRequest.setHeader(name, values)
    let hasOwnResponse = false
    upstreamRequest.on('error', () => {
      // If the server sent no response, the client must see a network error. If the server sent an
      // early error response, the client must receive that.
      if (!hasOwnResponse) request.socket.destroy()
    })
    const body = flow.forward(request, method === 'PUT' ? upstreamRequest : null, (bytes) => {
      exchange.bodyBytes += bytes
    })
    if (method !== 'PUT') request.pipe(upstreamRequest)
    const pendingRequest: PendingRequest = {
      exchange,
      respond: (status) => {
        pendingRequest.respond = null
        hasOwnResponse = true
        body.drain()
        upstreamRequest.destroy()
        respondAtEnd(request, response, exchange, status)
      },
      reset: () => {
        upstreamRequest.destroy()
        request.socket.resetAndDestroy()
      },
    }
    pendingRequests.add(pendingRequest)
    upstreamRequest.on('response', (upstreamResponse) => {
      if (pendingRequest.respond === null) return
      pendingRequest.respond = null
      if (shouldDropResponse?.(exchange)) {
        request.socket.resetAndDestroy()
        return
      }
      exchange.status = upstreamResponse.statusCode ?? 0
      response.writeHead(
        exchange.status,
        upstreamResponse.statusMessage,
        upstreamResponse.rawHeaders,
      )
      upstreamResponse.pipe(response)
      upstreamResponse.on('error', () => request.socket.destroy())
    })
    response.once('close', () => {
      pendingRequests.delete(pendingRequest)
      body.drain()
      if (!response.writableFinished && !isCut) upstreamRequest.destroy()
    })
  }

  const forwardAfter = (
    waitMs: number,
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
  ) => {
    if (waitMs === 0) return forward(request, response, exchange)
    const timer = setTimeout(() => forward(request, response, exchange), waitMs)
    response.once('close', () => clearTimeout(timer))
  }

  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 600_000 },
    (request, response) => {
      const { method = 'GET', url = '/' } = request
      const isInterrupted = arePutsStalled && method === 'PUT'
      const exchange: Exchange = {
        method,
        url,
        bodyBytes: 0,
        status: null,
        interrupted: isInterrupted,
      }
      exchanges.push(exchange)
      if (forcedResponse?.matches(exchange)) {
        request.on('data', (chunk: Buffer) => {
          exchange.bodyBytes += chunk.length
        })
        respondAtEnd(request, response, exchange, forcedResponse.status)
      } else if (shouldStall?.(exchange)) {
        const resume = () => forward(request, response, exchange)
        resumeCallbacks.add(resume)
        response.once('close', () => resumeCallbacks.delete(resume))
      } else forwardAfter(delayMs(), request, response, exchange)
    },
  )
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    if (isCut) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  /** Marks the PUTs in progress as interrupted and returns them. */
  const interruptPuts = () => {
    const puts = [...pendingRequests].filter(({ exchange }) => exchange.method === 'PUT')
    for (const { exchange } of puts) exchange.interrupted = true
    return puts
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    forwardTo(port) {
      targetPort = port
    },
    async stallPutsAfter(bytes) {
      await flow.stallAfter(bytes)
      arePutsStalled = true
      interruptPuts()
    },
    respondToPuts(status) {
      for (const pendingRequest of interruptPuts()) pendingRequest.respond?.(status)
    },
    respondWith(status, matches) {
      forcedResponse = { status, matches }
    },
    stall(matches) {
      shouldStall = matches
    },
    delay(nextDelayMs) {
      delayMs = nextDelayMs
    },
    dropResponses(matches) {
      shouldDropResponse = matches
    },
    reset() {
      for (const pendingRequest of interruptPuts()) pendingRequest.reset()
    },
    cut() {
      isCut = true
      interruptPuts()
      server.closeAllConnections()
    },
    restore() {
      isCut = false
      arePutsStalled = false
      forcedResponse = null
      shouldStall = null
      shouldDropResponse = null
      delayMs = () => 0
      flow.resumeAll()
      for (const resume of resumeCallbacks) resume()
      resumeCallbacks.clear()
    },
    clearExchanges() {
      exchanges.length = 0
    },
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Sends the response once the request body is complete. If it were sent earlier, the client might
 * see a lost connection instead.
 */
function respondAtEnd(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  status: number,
) {
  const respond = () => {
    if (response.destroyed) return
    exchange.status = status
    // Lets pages from other origins read the status, as a bucket does.
    const origin = request.headers.origin
    response.writeHead(status, origin ? { 'access-control-allow-origin': origin } : {})
    response.end()
  }
  request.resume()
  if (request.complete) respond()
  else request.once('end', respond)
}

function groupHeaders(rawHeaders: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    headers.set(name, [...(headers.get(name) ?? []), value])
  }
  return headers
}
