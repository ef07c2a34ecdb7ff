import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeBodyFlow } from './body-flow.ts'

/** A request that passed the proxy, and its outcome. */
export interface Exchange {
  method: string
  /** Path and query. */
  url: string
  /** Body bytes the client has sent. */
  bodyBytes: number
  /** The status the client received, or null without a response. */
  status: number | null
  /**
   * True if `holdAfter`, `answerPuts`, `reset` or `cut` interrupted this PUT before its response.
   */
  disturbed: boolean
}

type Matches = (exchange: Exchange) => boolean

/**
 * A proxy between a client and a server or bucket that simulates failures. Hosts, headers and
 * presigned URLs are forwarded unchanged.
 */
export interface ChaosProxy {
  /** The origin for clients. */
  url: string
  /** Forwards all requests to this local port. */
  forwardTo(port: number): void
  /** All requests so far, in order. */
  exchanges: readonly Exchange[]
  /** Forwards `bytes` more bytes of PUT bodies, then stalls all of them. */
  holdAfter(bytes: number): Promise<void>
  /** Answers the PUTs in progress with this status once their bodies are complete. */
  answerPuts(status: number): void
  /** Answers matching new requests with this status, until `open`. */
  answer(status: number, matches: Matches): void
  /** Stalls matching new requests until `open`. */
  hold(matches: Matches): void
  /** Delays each new request by `delayMs` milliseconds, until `open`. */
  slow(delayMs: () => number): void
  /**
   * Forwards matching requests but drops the connection instead of responding, until `open`. The
   * client can't know the outcome.
   */
  loseAnswers(matches: Matches): void
  /** Drops the connections of all PUTs in progress, on both sides. */
  reset(): void
  /**
   * Drops all client connections, including new ones, until `open`. The server's side stays open,
   * as when a client loses its network.
   */
  cut(): void
  /** Ends all simulated failures. */
  open(): void
  /** Discards earlier exchanges to save memory in long runs. */
  forget(): void
  close(): Promise<void>
}

/** A request in progress. */
interface Passing {
  exchange: Exchange
  /**
   * Responds in place of the server once the request is complete. Null once a response has begun.
   */
  refuse: ((status: number) => void) | null
  reset: () => void
}

/** Starts a proxy without failures. Nothing is forwarded before `forwardTo`. */
export async function startChaosProxy(): Promise<ChaosProxy> {
  let target = 0
  let isCut = false
  let isHeld = false
  let refused: { status: number; matches: Matches } | null = null
  let held: Matches | null = null
  let lost: Matches | null = null
  let delayMs = () => 0
  /** Callbacks that each resume one stalled request. */
  const waiting = new Set<() => void>()
  const exchanges: Exchange[] = []
  const passing = new Set<Passing>()
  const flow = makeBodyFlow()
  // No keep-alive: the server could close an idle connection just as it is reused, which no test
  // wants.
  const agent = new Agent({ keepAlive: false })

  const forward = (request: IncomingMessage, response: ServerResponse, exchange: Exchange) => {
    const { method = 'GET', url = '/', rawHeaders } = request
    const to = requestOf({ agent, host: '127.0.0.1', port: target, method, path: url })
    for (const [name, values] of groupHeaders(rawHeaders)) to.setHeader(name, values)
    let isRefused = false
    to.on('error', () => {
      // Without a response the client must see a network error, but an early error response must
      // still reach it.
      if (!isRefused) request.socket.destroy()
    })
    const body = flow.begin(request, method === 'PUT' ? to : null, (bytes) => {
      exchange.bodyBytes += bytes
    })
    if (method !== 'PUT') request.pipe(to)
    const one: Passing = {
      exchange,
      refuse: (status) => {
        one.refuse = null
        isRefused = true
        body.drain()
        to.destroy()
        answerAtEnd(request, response, exchange, status)
      },
      reset: () => {
        to.destroy()
        request.socket.resetAndDestroy()
      },
    }
    passing.add(one)
    to.on('response', (answer) => {
      if (one.refuse === null) return
      one.refuse = null
      if (lost?.(exchange)) {
        request.socket.resetAndDestroy()
        return
      }
      exchange.status = answer.statusCode ?? 0
      response.writeHead(exchange.status, answer.statusMessage, answer.rawHeaders)
      answer.pipe(response)
      answer.on('error', () => request.socket.destroy())
    })
    response.once('close', () => {
      passing.delete(one)
      body.end()
      if (!response.writableFinished && !isCut) to.destroy()
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
      const disturbed = isHeld && method === 'PUT'
      const exchange: Exchange = { method, url, bodyBytes: 0, status: null, disturbed }
      exchanges.push(exchange)
      if (refused?.matches(exchange)) {
        request.on('data', (chunk: Buffer) => {
          exchange.bodyBytes += chunk.length
        })
        answerAtEnd(request, response, exchange, refused.status)
      } else if (held?.(exchange)) {
        const resume = () => forward(request, response, exchange)
        waiting.add(resume)
        response.once('close', () => waiting.delete(resume))
      } else forwardAfter(delayMs(), request, response, exchange)
    },
  )
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    if (isCut) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  /** Marks the PUTs in progress as interrupted and returns them. */
  const disturbPuts = () => {
    const puts = [...passing].filter(({ exchange }) => exchange.method === 'PUT')
    for (const { exchange } of puts) exchange.disturbed = true
    return puts
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    forwardTo(port) {
      target = port
    },
    async holdAfter(bytes) {
      await flow.holdAfter(bytes)
      isHeld = true
      disturbPuts()
    },
    answerPuts(status) {
      for (const one of disturbPuts()) one.refuse?.(status)
    },
    answer(status, matches) {
      refused = { status, matches }
    },
    hold(matches) {
      held = matches
    },
    slow(howLongMs) {
      delayMs = howLongMs
    },
    loseAnswers(matches) {
      lost = matches
    },
    reset() {
      for (const one of disturbPuts()) one.reset()
    },
    cut() {
      isCut = true
      disturbPuts()
      server.closeAllConnections()
    },
    open() {
      isCut = false
      isHeld = false
      refused = null
      held = null
      lost = null
      delayMs = () => 0
      flow.open()
      for (const resume of waiting) resume()
      waiting.clear()
    },
    forget() {
      exchanges.length = 0
    },
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Responds once the body is complete. An earlier response could look like a lost connection. */
function answerAtEnd(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  status: number,
) {
  const answer = () => {
    if (response.destroyed) return
    exchange.status = status
    // Lets pages of other origins read the status, as a bucket does.
    const origin = request.headers.origin
    response.writeHead(status, origin ? { 'access-control-allow-origin': origin } : {})
    response.end()
  }
  request.resume()
  if (request.complete) answer()
  else request.once('end', answer)
}

function groupHeaders(raw: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    headers.set(name, [...(headers.get(name) ?? []), value])
  }
  return headers
}
