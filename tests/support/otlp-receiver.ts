import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A span as it arrived: ids in hexadecimal, attributes as text. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  /** Empty for the first span of a trace. */
  parentId: string
  name: string
  attributes: Record<string, string>
}

/** A collector: it takes traces over HTTP as OpenTelemetry's protocol says, and keeps them. */
export interface OtlpReceiver {
  url: string
  spans: ReceivedSpan[]
  /** The headers of the last export. */
  headers: IncomingHttpHeaders
  /** All bytes that arrived, as text. */
  text(): string
  close(): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: Buffer[] = []
  const receiver: Omit<OtlpReceiver, 'url'> = {
    spans: [],
    headers: {},
    text: () => Buffer.concat(bodies).toString('latin1'),
    close: () => new Promise((closed) => server.close(() => closed())),
  }
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const isExport = request.method === 'POST' && request.url === '/v1/traces'
    if (isExport && request.headers['content-type'] === 'application/x-protobuf') {
      bodies.push(body)
      receiver.headers = request.headers
      receiver.spans.push(...readSpans(body))
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    } else response.writeHead(415).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return Object.assign(receiver, { url: `http://127.0.0.1:${port}` })
}

/** The numbers of fields are those of opentelemetry-proto, trace/v1/trace.proto. */
function readSpans(body: Buffer): ReceivedSpan[] {
  const spans = messages(body, 1)
    .flatMap((resourceSpans) => messages(resourceSpans, 2))
    .flatMap((scopeSpans) => messages(scopeSpans, 2))
  return spans.map((span) => ({
    traceId: bytes(span, 1).toString('hex'),
    spanId: bytes(span, 2).toString('hex'),
    parentId: bytes(span, 4).toString('hex'),
    name: bytes(span, 5).toString(),
    attributes: Object.fromEntries(
      messages(span, 9).map((attribute) => {
        const value = fieldsOf(bytes(attribute, 2))[0]?.value ?? ''
        return [bytes(attribute, 1).toString(), String(value)]
      }),
    ),
  }))
}

function messages(message: Buffer, number: number): Buffer[] {
  return fieldsOf(message).flatMap((field) =>
    field.number === number && typeof field.value !== 'bigint' ? [field.value] : [],
  )
}

function bytes(message: Buffer, number: number): Buffer {
  return messages(message, number)[0] ?? Buffer.alloc(0)
}

/** Reads the fields of a message in the encoding of Protocol Buffers. */
function fieldsOf(message: Buffer): { number: number; value: Buffer | bigint }[] {
  const fields: { number: number; value: Buffer | bigint }[] = []
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at] ?? 0
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number) => {
    at += length
    return message.subarray(at - length, at)
  }
  while (at < message.length) {
    const tag = Number(varint())
    const kind = tag & 7
    const number = tag >> 3
    if (kind === 0) fields.push({ number, value: varint() })
    else fields.push({ number, value: take(kind === 1 ? 8 : kind === 5 ? 4 : Number(varint())) })
  }
  return fields
}
