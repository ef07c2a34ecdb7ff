import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server for IPv4 addresses, like Docker's. */
export interface NameServer {
  port: number
  /** Sets a name's addresses. An empty list means NXDOMAIN. */
  set(name: string, addresses: readonly string[]): void
  close(): Promise<void>
}

const headerBytes = 12
/** A compression pointer to the name in the question. */
const nameOfQuestion = [0xc0, headerBytes]
const typeAndClass = [0, 1, 0, 1]
/** Docker's TTL. */
const ttlSeconds = 600

/** Starts a DNS server (RFC 1035) without names on 127.0.0.1. */
export async function startNameServer(): Promise<NameServer> {
  const addressesOf = new Map<string, readonly string[]>()
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query)
    socket.send(answerTo(query.subarray(0, end), addressesOf.get(name) ?? []), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    set: (name, addresses) => void addressesOf.set(name, addresses),
    close: () => new Promise((closed) => void socket.close(closed)),
  }
}

/** Parses the name in a query. Also returns where the question ends. */
function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = headerBytes
  for (;;) {
    const length = query.readUInt8(at)
    at += 1
    if (length === 0) return { name: labels.join('.'), end: at + typeAndClass.length }
    labels.push(query.toString('latin1', at, at + length))
    at += length
  }
}

function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question)
  const notFound = addresses.length === 0 ? 3 : 0
  head.writeUInt16BE(0x8180 | notFound, 2)
  head.writeUInt16BE(addresses.length, 6)
  const time = Buffer.alloc(4)
  time.writeUInt32BE(ttlSeconds)
  const records = addresses.map((address) =>
    Buffer.from([
      ...nameOfQuestion,
      ...typeAndClass,
      ...time,
      0,
      4,
      ...address.split('.').map(Number),
    ]),
  )
  return Buffer.concat([head, ...records])
}
