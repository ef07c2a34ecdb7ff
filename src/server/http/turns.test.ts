import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

/** What Node's objects of a waiting request take, without its URL and headers. */
const leastBytes = 4096

/**
 * Makes the requests of one connection, with Node's own objects: only the oldest response has the
 * socket, and the next one gets it when that one is closed.
 */
class Connection {
  readonly socket = new Socket()
  /** The URLs of the requests whose turn has begun. */
  readonly begun: string[] = []
  readonly #turns: Turns
  readonly #open: { request: IncomingMessage; response: ServerResponse }[] = []

  constructor(turns: Turns) {
    this.#turns = turns
    // A connection that is cut says so by an error.
    this.socket.on('error', () => {})
  }

  ask(url = '', rawHeaders: string[] = []): void {
    const request = Object.assign(new IncomingMessage(this.socket), { url, rawHeaders })
    const response = new ServerResponse(request)
    this.#open.push({ request, response })
    if (this.#open.length === 1) response.assignSocket(this.socket)
    this.#turns.take(request, response, () => this.begun.push(url))
  }

  /** Ends the answer that is being sent. */
  finish(): void {
    const done = this.#open.shift()
    done?.response.detachSocket(this.socket)
    done?.response.emit('close')
    done?.request.emit('close')
    this.#open[0]?.response.assignSocket(this.socket)
  }

  /** Ends the requests that wait, before anything tells that the connection has ended. */
  giveUp(): void {
    for (const { request } of this.#open.slice(1)) request.emit('close')
  }

  /** Ends the connection, with all its requests. */
  leave(): void {
    this.socket.destroy()
    this.#open[0]?.response.detachSocket(this.socket)
    for (const { request, response } of this.#open.splice(0)) {
      request.emit('close')
      response.emit('close')
    }
  }

  get isCut(): boolean {
    return this.socket.destroyed
  }
}

const anyNumber = { waitingRequests: 1000, waitingBytes: 1_000_000_000 }

describe('the requests of a connection', () => {
  it('are answered one after another', () => {
    const turns = new Turns(anyNumber)
    const connection = new Connection(turns)
    for (const url of ['a', 'b', 'c']) connection.ask(url)
    expect([connection.begun, turns.current.size]).toEqual([['a'], 1])
    connection.finish()
    expect([connection.begun, turns.current.size]).toEqual([['a', 'b'], 1])
    connection.finish()
    connection.finish()
    expect([connection.begun, turns.current.size]).toEqual([['a', 'b', 'c'], 0])
    connection.ask('d')
    expect(connection.begun).toEqual(['a', 'b', 'c', 'd'])
  })

  it('do not wait for those of another connection', () => {
    const turns = new Turns({ waitingRequests: 0, waitingBytes: 0 })
    const [one, other] = [new Connection(turns), new Connection(turns)]
    one.ask('a')
    other.ask('b')
    expect([one.begun, other.begun, turns.current.size]).toEqual([['a'], ['b'], 2])
  })

  it('are never answered once the client has left', () => {
    const turns = new Turns(anyNumber)
    const connection = new Connection(turns)
    for (const url of ['a', 'b']) connection.ask(url)
    connection.leave()
    connection.ask('c')
    expect([connection.begun, turns.current.size]).toEqual([['a'], 0])
  })

  it('are never answered once they are given up, though their turn comes', () => {
    const connection = new Connection(new Turns(anyNumber))
    for (const url of ['a', 'b']) connection.ask(url)
    connection.giveUp()
    connection.finish()
    expect(connection.begun).toEqual(['a'])
  })
})

describe('a connection is cut', () => {
  it.each([0, 1, 2, 16])('for one more request than may wait: %i', (waitingRequests) => {
    const connection = new Connection(new Turns({ ...anyNumber, waitingRequests }))
    for (let sent = 0; sent <= waitingRequests; sent += 1) connection.ask()
    expect(connection.isCut).toBe(false)
    connection.ask()
    expect(connection.isCut).toBe(true)
    expect(connection.begun).toHaveLength(1)
  })

  it('not while answered requests make way', () => {
    const connection = new Connection(new Turns({ ...anyNumber, waitingRequests: 2 }))
    for (let sent = 0; sent < 3; sent += 1) connection.ask()
    for (let sent = 0; sent < 9; sent += 1) {
      connection.finish()
      connection.ask()
    }
    expect(connection.isCut).toBe(false)
    connection.ask()
    expect(connection.isCut).toBe(true)
  })

  it.each([
    ['its objects', '', [], leastBytes],
    ['its URL', '/abc', [], leastBytes + 4],
    ['each name and value of its headers', '', ['Host', 'x'], leastBytes + 36 + 33],
  ])('where the second request that waits needs more memory: %s', (_, url, headers, bytes) => {
    for (const [waitingBytes, isCut] of [
      [bytes, false],
      [bytes - 1, true],
    ] as const) {
      const connection = new Connection(new Turns({ ...anyNumber, waitingBytes }))
      connection.ask()
      connection.ask('x'.repeat(9999))
      expect(connection.isCut).toBe(false)
      connection.ask(url, headers)
      expect(connection.isCut).toBe(isCut)
    }
  })

  it('where the requests of all connections need more memory together', () => {
    const turns = new Turns({ ...anyNumber, waitingBytes: 2 * leastBytes })
    const connections = [1, 2, 3].map(() => new Connection(turns))
    for (const connection of connections) {
      for (let sent = 0; sent < 3; sent += 1) connection.ask()
    }
    expect(connections.map(({ isCut }) => isCut)).toEqual([false, false, true])
  })
})

it('all memory is given back, however requests and connections come and go', () => {
  const anyStep = fc.tuple(
    fc.nat(2),
    fc.constantFrom('ask', 'ask', 'ask', 'finish', 'leave'),
    fc.nat(99),
  )
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
      const turns = new Turns({ waitingRequests: 3, waitingBytes: 4 * leastBytes })
      const connections = [0, 1, 2].map(() => new Connection(turns))
      for (const [at, step, length] of steps) {
        const connection = connections[at] as Connection
        if (step === 'ask') connection.ask('x'.repeat(length))
        else if (step === 'finish') connection.finish()
        else connection.leave()
        // Node ends the requests of a connection that was cut.
        if (connection.isCut) {
          connection.leave()
          connections[at] = new Connection(turns)
        }
      }
      for (const connection of connections) connection.leave()
      expect(turns.current.size).toBe(0)
      const last = [new Connection(turns), new Connection(turns), new Connection(turns)]
      for (const connection of last) {
        for (let sent = 0; sent < 3; sent += 1) connection.ask()
      }
      const fourth = last[0] as Connection
      fourth.ask()
      // These four requests need exactly the memory that there is, and a fifth needs more.
      expect(last.map(({ isCut }) => isCut)).toEqual([false, false, false])
      last[1]?.ask()
      expect(last[1]?.isCut).toBe(true)
    }),
  )
})
