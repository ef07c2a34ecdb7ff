import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Answers which IPv4 addresses a name has, as Docker's resolver does for containers. */
export interface NameServer {
  port: number
  /** Gives a name other addresses. A name without any is not found. */
  set(name: string, addresses: readonly string[]): void
  close(): Promise<void>
}

const headerBytes = 12
/** The answer's name is the one of the question, which begins behind the header. */
const nameOfQuestion = [0xc0, headerBytes]
const typeAndClass = [0, 1, 0, 1]
/** Docker's own answers may be kept for so long. */
const secondsToKeep = 600

/** Starts a name server (RFC 1035) on 127.0.0.1 that knows no name yet. */
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

/** Returns the name that a query asks for, and where the question ends. */
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
  time.writeUInt32BE(secondsToKeep)
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
