/**
 * An S3 server that only lists: a process of its own, which answers as if a bucket had very many
 * objects. `bucket-comparison.ts` starts it and says by which numbers the keys are made. It lists
 * nothing before it gets a message: a new database refuses a bucket that has files already. Small
 * objects that the application itself writes into the bucket are kept in memory.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { keyOfObject } from './bucket-keys.ts'

/** The objects all have this age. The comparison removes those of them that no row names. */
const modifiedAt = new Date(Date.now() - 2 * 24 * 60 * 60_000).toISOString()
const mostKeys = 1000

const [first, last] = process.argv.slice(2).map(Number)
if (first === undefined || last === undefined) throw new RangeError('no numbers of keys')
const keys = Array.from(
  { length: last - first + 1 },
  (_key, at) => `files/${keyOfObject(first + at)}`,
)
keys.sort()
const listed = new Set(keys)
const written = new Map<string, string>()
let isFilled = false
process.once('message', () => {
  isFilled = true
})

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error as Error))
})
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.once('disconnect', () => process.exit())

/** Answers a request for `/bucket` or `/bucket/key`. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
  const key = pathname.split('/').slice(2).join('/')
  const send = (status: number, body = '') => {
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
  }
  if (key === '') return send(...ofBucket(request, searchParams))
  switch (request.method) {
    case 'PUT':
      written.set(key, await text(request))
      return send(200)
    case 'DELETE':
      written.delete(key)
      listed.delete(key)
      return send(204)
    default: {
      const body = written.get(key)
      return body === undefined && !listed.has(key)
        ? send(404, request.method === 'HEAD' ? '' : fault('NoSuchKey'))
        : send(200, body)
    }
  }
}

/** Answers a question about the bucket, as a status and a body. */
function ofBucket({ method }: IncomingMessage, search: URLSearchParams): [number, string?] {
  if (method === 'HEAD') return [200]
  if (search.has('cors')) return [404, fault('NoSuchCORSConfiguration')]
  if (search.has('versioning')) return [200, '<VersioningConfiguration/>']
  if (search.has('uploads')) return [200, '<ListMultipartUploadsResult/>']
  return [200, listing(Number(search.get('continuation-token') ?? 0))]
}

/** Returns the page of the listing that begins at this place. The token of a page is its place. */
function listing(from: number): string {
  const contents = (isFilled ? keys : [])
    .slice(from, from + mostKeys)
    .map(
      (key) => `<Contents><Key>${key}</Key><LastModified>${modifiedAt}</LastModified></Contents>`,
    )
  const next = from + mostKeys
  const more = isFilled && next < keys.length
  const token = more ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''
  return `<ListBucketResult><IsTruncated>${more}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`
}

function fault(code: string): string {
  return `<Error><Code>${code}</Code></Error>`
}
