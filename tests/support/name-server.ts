import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server that serves only A records, with the TTL that Docker's DNS server uses. */
export interface NameServer {
  port: number
  /** Sets the addresses for a name. If there are none, the server responds with NXDOMAIN. */
  set(name: string, addresses: readonly string[]): void
  close(): Promise<void>
}

const headerBytes = 12
/** A compression pointer to the name in the question section. */
const questionNamePointer = [0xc0, headerBytes]
const typeAndClass = [0, 1, 0, 1]
/** The TTL that Docker's DNS server uses. */
const ttlSeconds = 600

/** Starts a DNS server (RFC 1035) on 127.0.0.1. It doesn't know any names until `set` is called. */
export async function startNameServer(): Promise<NameServer> {
  const addressesByName = new Map<string, readonly string[]>()
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, end } = parseName(query)
    socket.send(
      buildResponse(query.subarray(0, end), addressesByName.get(name) ?? []),
      port,
      address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    set: (name, addresses) => void addressesByName.set(name, addresses),
    close: () => new Promise((resolve) => void socket.close(resolve)),
  }
}

/** Parses the name in a DNS query. Also returns the offset at which the question section ends. */
function parseName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let offset = headerBytes
  for (;;) {
    const length = query.readUInt8(offset)
    offset += 1
    if (length === 0) return { name: labels.join('.'), end: offset + typeAndClass.length }
    labels.push(query.toString('latin1', offset, offset + length))
    offset += length
  }
}

function buildResponse(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question)
  const responseCode = addresses.length === 0 ? 3 : 0
  header.writeUInt16BE(0x8180 | responseCode, 2)
  header.writeUInt16BE(addresses.length, 6)
  const ttlBytes = Buffer.alloc(4)
  ttlBytes.writeUInt32BE(ttlSeconds)
  const records = addresses.map((address) =>
    Buffer.from([
      ...questionNamePointer,
      ...typeAndClass,
      ...ttlBytes,
      0,
      4,
      ...address.split('.').map(Number),
    ]),
  )
  return Buffer.concat([header, ...records])
}
