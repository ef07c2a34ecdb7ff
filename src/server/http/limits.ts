import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { BlockList, Socket } from 'node:net'
import { createMiddleware } from 'hono/factory'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { addressBlock, isTrusted, peerAddress } from './client-address.ts'
import type { HttpEnv } from './env.ts'

/** Limits on each connection and on the number of connections. */
export interface ConnectionLimits {
  /**
   * How many pipelined requests may wait behind the current one. Each connection's first waiting
   * request doesn't count towards `total`.
   */
  waitingRequests: { perConnection: number; total: number }
  /** The maximum size of request headers. Node answers 431 beyond it. */
  headerBytes: number
  /** How long headers may take to arrive before Node answers 408. */
  headersMs: number
  /** How long a client may pause reading its response or sending its body. */
  stalledMs: number
  /** How long the body of an API call may take to arrive. */
  bodyMs: number
  /** Maximum number of open connections. The server resets any beyond it. */
  connections: SharedLimit
}

export const connectionLimits: ConnectionLimits = {
  // Browsers and proxies don't pipeline, but a package manager may send ten requests at once. A
  // waiting request takes 5 KiB of memory, or 20 KiB with the largest headers.
  waitingRequests: { perConnection: 16, total: 1024 },
  // More than enough: the session cookie and the longest path take less than 4 KiB.
  headerBytes: 16 * 1024,
  headersMs: 60_000,
  // Long enough for a phone to regain its signal after a tunnel.
  stalledMs: 120_000,
  // Most bodies are at most 64 KiB, which takes 26 s at 20 kbit/s.
  bodyMs: 30_000,
  // 4,000 idle connections take 50 MiB of memory, or 150 MiB with partial headers or bodies. A
  // browser opens up to six connections. One address can take a third of the total, enough for 200
  // people.
  connections: { total: 4096, guaranteed: 256 },
}

/** The minimum interval between log lines about the same limit. */
const logEveryMs = 60_000

/**
 * Limits the open connections, in total and per address, so that one client can't use all of them.
 * Trusted proxies only count towards the total.
 */
export function limitConnections(
  server: Server,
  connections: SharedLimit,
  { log, trustedProxies }: { log: Pick<Logger, 'warn'>; trustedProxies: BlockList | null },
): void {
  const openConnections = new FairLimit(connections)
  let isLogged = false
  const logRejection = () => {
    if (isLogged) return
    isLogged = true
    log.warn({ open: openConnections.used }, 'Connections are refused: too many are open')
    setTimeout(() => {
      isLogged = false
    }, logEveryMs).unref()
  }
  server.maxConnections = connections.total
  server.on('drop', logRejection)
  server.on('connection', (socket) => {
    const address = peerAddress({ socket })
    if (isTrusted(address, trustedProxies)) return
    const release = openConnections.take(address)
    if (release) {
      socket.once('close', release)
      return
    }
    logRejection()
    resetSocket(socket)
  })
}

/**
 * Handles a connection's pipelined requests one after another. Node would start them all at once,
 * so a few KiB could cause as much load as thousands of clients.
 */
export class PipelineQueue {
  readonly #active = new Set<ServerResponse>()
  readonly #waiting = new WeakMap<Socket, number>()
  readonly #limits: ConnectionLimits['waitingRequests']
  #total = 0

  constructor(limits: ConnectionLimits['waitingRequests']) {
    this.#limits = limits
  }

  /** The responses in progress, at most one per connection. */
  get active(): ReadonlySet<ServerResponse> {
    return this.#active
  }

  /**
   * Calls `handle` once the earlier responses on this connection have been sent. If the request
   * exceeds the limits, resets the connection instead.
   */
  run(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const { socket } = request
    if (socket.destroyed) return
    const startHandling = () => {
      this.#active.add(response)
      response.once('close', () => this.#active.delete(response))
      handle()
    }
    // Node assigns the socket to a response once all earlier responses have been sent.
    if (response.socket) {
      startHandling()
      return
    }
    const waitingCount = this.#waiting.get(socket) ?? 0
    // The first waiting request is free: even without pipelining, a client's next request may
    // arrive before this server learns that its response has been sent.
    const queueCost = waitingCount === 0 ? 0 : 1
    const { perConnection, total } = this.#limits
    if (waitingCount >= perConnection || this.#total + queueCost > total) {
      resetSocket(socket)
      return
    }
    this.#waiting.set(socket, waitingCount + 1)
    this.#total += queueCost
    const leaveQueue = () => {
      response.off('socket', takeSocket)
      request.off('close', leaveQueue)
      this.#total -= queueCost
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1)
    }
    const takeSocket = () => {
      leaveQueue()
      startHandling()
    }
    response.once('socket', takeSocket)
    request.once('close', leaveQueue)
  }
}

/** Aborts a request whose body hasn't fully arrived after `bodyMs`. */
export function limitBodyTime(
  request: IncomingMessage,
  response: ServerResponse,
  bodyMs: number,
): void {
  if (request.complete) return
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy()
  }, bodyMs)
  response.once('close', () => clearTimeout(timer))
}

/** A client's progress in reading or sending. */
interface Progress {
  activity: 'read' | 'send'
  /** Bytes read or sent so far on this connection. */
  bytes: number
}

/**
 * Resets the connections of clients that read or send almost nothing. Time spent waiting for the
 * server doesn't count. Node's own timeouts don't help, because every byte restarts them.
 */
export class StalledClients {
  /**
   * A client must read or send at least this many bytes in this many checks. A check counts only if
   * the server is waiting for the client at the time.
   */
  static readonly minProgress = { checks: 12, bytes: 13 * 1024 }

  readonly #responses: Iterable<ServerResponse>
  readonly #watched = new WeakMap<ServerResponse, Progress & { checks: number }>()

  constructor(responses: Iterable<ServerResponse>) {
    this.#responses = responses
  }

  /** Checks all clients once. Call it at regular intervals. */
  check(): void {
    const { checks, bytes } = StalledClients.minProgress
    for (const response of this.#responses) {
      const progress = readProgress(response)
      if (progress === null) continue
      const lastProgress = this.#watched.get(response)
      if (lastProgress?.activity !== progress.activity) {
        this.#watched.set(response, { ...progress, checks: 0 })
        continue
      }
      lastProgress.checks += 1
      if (lastProgress.checks < checks) continue
      // A reset, unlike a normal close, makes the kernel drop the unread bytes.
      if (progress.bytes - lastProgress.bytes < bytes && response.socket)
        resetSocket(response.socket)
      lastProgress.bytes = progress.bytes
      lastProgress.checks = 0
    }
  }
}

/** Returns a client's progress, or null while the server isn't waiting for the client. */
function readProgress(response: ServerResponse): Progress | null {
  const { req: request, socket } = response
  if (!socket) return null
  if (response.writableLength > 0) return { activity: 'read', bytes: countFlushedBytes(socket) }
  // While the read buffer is full, the server doesn't read from the socket.
  const canReceive = !request.complete && request.readableLength < request.readableHighWaterMark
  return canReceive ? { activity: 'send', bytes: socket.bytesRead } : null
}

/**
 * Returns how many written bytes the kernel has accepted. Node's public fields count only complete
 * writes, so this reads the internal ones, as Node's own timeouts do.
 */
function countFlushedBytes(
  socket: Socket & { _handle?: { bytesWritten?: number; writeQueueSize?: number } | null },
): number {
  const { bytesWritten = 0, writeQueueSize = 0 } = socket._handle ?? {}
  return bytesWritten - writeQueueSize
}

/**
 * Resets a connection and drops unsent bytes. A socket that has ended and sent everything is only
 * closed: Node fails to reset it and would leak its handle.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && socket.writableLength === 0) socket.destroy()
  else socket.resetAndDestroy()
}

/** A limit shared by all clients, for example on connections or bytes. */
export interface SharedLimit {
  /** The limit for all clients together. */
  total: number
  /** The amount guaranteed to each client while less than `total` is in use. */
  guaranteed: number
}

/**
 * Enforces a shared limit. A client may take `guaranteed`, and more while its share is at most half
 * of the free capacity. A single client can thus reach a third of `total`, enough for many people
 * behind one address, and several greedy clients still leave capacity for others.
 */
export class FairLimit {
  readonly #limit: SharedLimit
  readonly #byClient = new Map<string, number>()
  #used = 0

  constructor(limit: SharedLimit) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /**
   * Takes `amount` for the client at an address. An IPv6 address counts as its /64 block.
   * @returns a function that releases the amount, to be called once; null if the limit is exceeded.
   */
  take(address: string, amount = 1): (() => void) | null {
    const clientBlock = addressBlock(address)
    const clientUsed = this.#byClient.get(clientBlock) ?? 0
    const freeCapacity = this.#limit.total - this.#used
    const clientLimit = Math.max(this.#limit.guaranteed, Math.floor(freeCapacity / 2))
    if (amount > freeCapacity || clientUsed + amount > clientLimit) return null
    this.#used += amount
    this.#byClient.set(clientBlock, clientUsed + amount)
    return () => {
      this.#used -= amount
      const remainingAmount = (this.#byClient.get(clientBlock) ?? amount) - amount
      if (remainingAmount > 0) this.#byClient.set(clientBlock, remainingAmount)
      else this.#byClient.delete(clientBlock)
    }
  }
}

/**
 * Returns the check that requests run before their first query. It sheds load: while too many
 * queries wait for a database connection, requests are refused at once. Jobs, running transfers and
 * the endpoints that operators need don't run this check.
 */
export function makeLoadShedder({
  clock,
  log,
  pool,
  maxWaiting,
}: {
  clock: Clock
  log: Pick<Logger, 'warn'>
  pool: { readonly waitingCount: number }
  /** How many queries may wait for a connection. */
  maxWaiting: number
}): () => void {
  let lastLoggedAt = Number.NEGATIVE_INFINITY
  let refusedCount = 0
  /** @throws {AppError} SERVER_BUSY with `Retry-After`. */
  return () => {
    if (pool.waitingCount < maxWaiting) return
    refusedCount += 1
    const now = clock().getTime()
    if (now < lastLoggedAt || now - lastLoggedAt >= logEveryMs) {
      log.warn({ refused: refusedCount }, 'Shedding load: too many queries wait for the database')
      lastLoggedAt = now
      refusedCount = 0
    }
    throw new AppError('SERVER_BUSY')
  }
}

/**
 * Limits the memory for large bodies. A parsed body takes several times as much memory as the raw
 * one.
 */
export const largeBodies: SharedLimit = { total: 16 * 1024 * 1024, guaranteed: 2 * 1024 * 1024 }

/** Smaller bodies don't count against the limit. A login or signup body has less than 1 KiB. */
const largeBodyBytes = 4 * 1024

/**
 * Returns middleware that reads the request body into memory. Refuses more than `maxSize` bytes
 * with BODY_TOO_LARGE, and answers SERVER_BUSY while all calls' large bodies together take too much
 * memory. Only received bytes count, so announcing a body without sending it doesn't affect others.
 */
export function bodyLimit(maxSize: number, memory: FairLimit = new FairLimit(largeBodies)) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const { incoming: request } = c.env
    const { 'content-length': contentLength = '0', 'transfer-encoding': coding } = request.headers
    if (Number(contentLength) > maxSize) throw new AppError('BODY_TOO_LARGE')
    const hasBody = coding !== undefined || Number(contentLength) > 0
    // Bodies of GET and HEAD aren't read: they would stay in memory during a download, which can
    // take hours.
    if (!hasBody || c.req.method === 'GET' || c.req.method === 'HEAD') return next()
    const releases: (() => void)[] = []
    const reserve = (bytes: number) => {
      const release = memory.take(c.get('clientAddress'), bytes)
      if (!release) throw new AppError('SERVER_BUSY')
      releases.push(release)
    }
    try {
      c.set('body', await readBody(request, maxSize, reserve))
      await next()
    } finally {
      // Release the memory only now, because the parsed body was still in use.
      for (const release of releases) release()
    }
  })
}

async function readBody(
  request: IncomingMessage,
  maxSize: number,
  reserve: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let receivedBytes = 0
  try {
    // Keep the connection open for the response, even if the body is refused.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      receivedBytes += chunk.length
      if (receivedBytes > maxSize) throw new AppError('BODY_TOO_LARGE')
      if (receivedBytes > largeBodyBytes) reserve(chunk.length)
      chunks.push(chunk)
    }
  } catch (error) {
    // The client disconnected. If rethrown, the socket error would be mistaken for a lost database
    // connection.
    if (error instanceof AppError || !request.destroyed) throw error
    throw new AppError('INVALID_INPUT', { message: 'The body is incomplete.' })
  }
  return Buffer.concat(chunks)
}
