import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeBodyFlow } from './body-flow.ts'

/** A request that the proxy saw, and how it ended. */
export interface Exchange {
  method: string
  /** The path and the query. */
  url: string
  /** How many bytes of the request's body the client has sent so far. */
  bodyBytes: number
  /** The status that the client got; null if it has got no answer. */
  status: number | null
  /**
   * Whether this is a PUT that `holdAfter`, `answerPuts`, `reset` or `cut` has disturbed before it
   * was answered. The other faults do not set it.
   */
  disturbed: boolean
}

type Matches = (exchange: Exchange) => boolean

/**
 * A proxy that plays the network between a client and a server or bucket. A test makes it fail in
 * many ways. Hosts, headers and presigned URLs are passed on unchanged.
 */
export interface ChaosProxy {
  /** The origin that clients open. */
  url: string
  /** Sends all requests to this port of this machine from now on. */
  forwardTo(port: number): void
  /** Every request since the start, in order. */
  exchanges: readonly Exchange[]
  /**
   * Passes on `bytes` more bytes of the bodies of PUTs, and then stops all of those bodies, as a
   * network does that hangs.
   */
  holdAfter(bytes: number): Promise<void>
  /**
   * Answers the PUTs that are running now with this status, as soon as the client has sent all of
   * their bytes.
   */
  answerPuts(status: number): void
  /** Answers new requests for which `matches` is true with this status, until `open` is called. */
  answer(status: number, matches: Matches): void
  /** Delays new requests for which `matches` is true, until `open` is called. */
  hold(matches: Matches): void
  /**
   * Delays each new request by as many milliseconds as the function returns, until `open` is
   * called.
   */
  slow(delayMs: () => number): void
  /**
   * Passes requests on for which `matches` is true, but breaks the client's connection instead of
   * answering, until `open` is called. The client cannot know whether the server has done what was
   * asked.
   */
  loseAnswers(matches: Matches): void
  /** Breaks the connections of all running PUTs, both to the client and to the server. */
  reset(): void
  /**
   * Breaks every connection of the client, and every new one, until `open` is called. The
   * connections to the server stay open, because a server does not notice when a client's network
   * fails.
   */
  cut(): void
  /** Ends all faults. From now on everything is passed on again. */
  open(): void
  /** Forgets the exchanges so far. A long run would otherwise keep all of them in memory. */
  forget(): void
  close(): Promise<void>
}

/** A request that is running now. */
interface Passing {
  exchange: Exchange
  /**
   * Makes the proxy answer with the given status in place of the server, as soon as the client has
   * sent the whole request. null after the server has begun to answer, or after a first call.
   */
  refuse: ((status: number) => void) | null
  reset: () => void
}

/** Starts a proxy without faults. It passes nothing on until `forwardTo` is called. */
export async function startChaosProxy(): Promise<ChaosProxy> {
  let target = 0
  let isCut = false
  let isHeld = false
  let refused: { status: number; matches: Matches } | null = null
  let held: Matches | null = null
  let lost: Matches | null = null
  let delayMs = () => 0
  /** Each of these functions passes one delayed request on. */
  const waiting = new Set<() => void>()
  const exchanges: Exchange[] = []
  const passing = new Set<Passing>()
  const flow = makeBodyFlow()
  // With keep-alive, the server could close an idle connection just when the proxy uses it again.
  // The request would fail although the test asked for no fault.
  const agent = new Agent({ keepAlive: false })

  const forward = (request: IncomingMessage, response: ServerResponse, exchange: Exchange) => {
    const { method = 'GET', url = '/', rawHeaders } = request
    const to = requestOf({ agent, host: '127.0.0.1', port: target, method, path: url })
    for (const [name, values] of groupHeaders(rawHeaders)) to.setHeader(name, values)
    let isRefused = false
    to.on('error', () => {
      // If the request ends without an answer, the client must see it fail. But after a refusal,
      // the client must still get its answer.
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
        const goOn = () => forward(request, response, exchange)
        waiting.add(goOn)
        response.once('close', () => waiting.delete(goOn))
      } else forwardAfter(delayMs(), request, response, exchange)
    },
  )
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    if (isCut) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  /** Marks the running PUTs as disturbed, and returns them. */
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
      for (const goOn of waiting) goOn()
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

/**
 * Answers when the client has sent its whole body. To the client, an earlier answer could look like
 * a lost connection.
 */
function answerAtEnd(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  status: number,
) {
  const answer = () => {
    if (response.destroyed) return
    exchange.status = status
    // This header lets a page of another origin read the status, as it can when the bucket itself
    // answers.
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
