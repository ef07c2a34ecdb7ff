import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { S3Settings } from '../../src/server/config/s3-settings.ts'

/** A part as the server received it. A part that is sent twice has two of these records. */
interface Part {
  number: number
  body: Buffer
  etag: string
  sentAt: Date
}

interface Upload {
  key: string
  begunAt: Date
  parts: Part[]
}

export interface BucketById {
  settings: S3Settings
  /** The bucket's settings as environment variables. */
  env: Record<string, string>
  uploads: Map<string, Upload>
  close(): Promise<void>
}

/**
 * Starts an S3 server with the quirks of SeaweedFS. It lists open uploads by id instead of by key.
 * A part that was sent twice is listed twice. The last part on each page appears again on the next
 * page. Signatures aren't checked.
 */
export async function startBucketById(): Promise<BucketById> {
  const uploads = new Map<string, Upload>()
  const objects = new Map<string, { body: Buffer; changedAt: Date }>()

  const handleBucketRequest = (search: URLSearchParams): [number, string] => {
    if (search.has('uploads')) return [200, buildUploadsXml(uploads, search)]
    if (search.has('versioning')) return [200, '<VersioningConfiguration/>']
    const prefix = search.get('prefix') ?? ''
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
    const contents = keys.map((key) => {
      const changedAt = objects.get(key)?.changedAt.toISOString()
      return `<Contents><Key>${key}</Key><LastModified>${changedAt}</LastModified></Contents>`
    })
    return [200, `<ListBucketResult>${contents.join('')}</ListBucketResult>`]
  }

  const handleUploadRequest = async (
    request: IncomingMessage,
    key: string,
    id: string,
    search: URLSearchParams,
  ): Promise<[number, string, Record<string, string>?]> => {
    const body = await buffer(request)
    const upload = uploads.get(id)
    if (!upload) return [404, buildErrorXml('NoSuchUpload')]
    switch (request.method) {
      case 'PUT': {
        const number = Number(search.get('partNumber'))
        const etag = `"${createHash('md5').update(body).digest('hex')}"`
        upload.parts.push({ number, body, etag, sentAt: new Date() })
        return [200, '', { etag }]
      }
      case 'GET':
        return [200, buildPartsXml(upload, search)]
      case 'POST': {
        const partElements = body.toString().matchAll(/<Part>.*?<\/Part>/g)
        const bodies = Array.from(partElements, ([part]) => {
          const [, number] = /<PartNumber>(\d+)</.exec(part) ?? []
          const [, etag] = /<ETag>(?:&quot;|")?(\w+)/.exec(part) ?? []
          const candidates = upload.parts.filter((candidate) => candidate.number === Number(number))
          return candidates.findLast((candidate) => candidate.etag === `"${etag}"`)?.body
        })
        if (bodies.includes(undefined)) return [400, buildErrorXml('InvalidPart')]
        const content = Buffer.concat(bodies.filter((part) => part !== undefined))
        objects.set(key, { body: content, changedAt: new Date() })
        uploads.delete(id)
        return [200, '<CompleteMultipartUploadResult/>']
      }
      default:
        uploads.delete(id)
        return [204, '']
    }
  }

  const handleRequest = async (
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    const key = decodeURIComponent(pathname).split('/').slice(2).join('/')
    const send = (status: number, body: string | Buffer = '', headers = {}) => {
      const length = Buffer.byteLength(body)
      response.writeHead(status, { 'content-length': length, ...headers })
      response.end(request.method === 'HEAD' ? undefined : body)
    }
    if (key === '') return send(...handleBucketRequest(searchParams))
    if (searchParams.has('uploads')) {
      const id = randomUUID()
      uploads.set(id, { key, begunAt: new Date(), parts: [] })
      return send(
        200,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      )
    }
    const id = searchParams.get('uploadId')
    if (id !== null) return send(...(await handleUploadRequest(request, key, id, searchParams)))
    switch (request.method) {
      case 'PUT':
        objects.set(key, { body: await buffer(request), changedAt: new Date() })
        return send(200)
      case 'DELETE':
        objects.delete(key)
        return send(204)
      default: {
        const body = objects.get(key)?.body
        return body ? send(200, body) : send(404, buildErrorXml('NoSuchKey'))
      }
    }
  }

  const server = createServer((request, response) => {
    handleRequest(request, response).catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [bucket, region, accessKeyId, secretAccessKey] = ['bucket', 'us-east-1', 'key', 'secret']
  return {
    settings: {
      bucket,
      region,
      endpoint: new URL(endpoint),
      publicEndpoint: null,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
    },
    env: {
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    uploads,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function buildUploadsXml(uploads: ReadonlyMap<string, Upload>, search: URLSearchParams): string {
  const remainingUploads = [...uploads]
    .filter(([id, { key }]) => {
      const marker = search.get('key-marker') || key
      const isAfter = id > (search.get('upload-id-marker') ?? '')
      return isAfter && marker === key && key.startsWith(search.get('prefix') ?? '')
    })
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const page = remainingUploads.slice(0, Number(search.get('max-uploads')))
  const elements = page.map(
    ([id, { key, begunAt }]) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begunAt.toISOString()}</Initiated></Upload>`,
  )
  const nextId = page.length < remainingUploads.length && `${page.at(-1)?.[0]}`
  const marker = nextId ? `<NextUploadIdMarker>${nextId}</NextUploadIdMarker>` : ''
  return `<ListMultipartUploadsResult><IsTruncated>${nextId !== false}</IsTruncated>${marker}${elements.join('')}</ListMultipartUploadsResult>`
}

function buildPartsXml({ parts }: Upload, search: URLSearchParams): string {
  const firstNumber = Number(search.get('part-number-marker'))
  const remainingParts = parts
    .filter(({ number }) => number >= firstNumber)
    .toSorted((a, b) => a.number - b.number)
  const page = remainingParts.slice(0, Number(search.get('max-parts')))
  const elements = page.map(
    ({ number, body, etag, sentAt }) =>
      `<Part><PartNumber>${number}</PartNumber><Size>${body.length}</Size><ETag>${etag}</ETag><LastModified>${sentAt.toISOString()}</LastModified></Part>`,
  )
  const isTruncated = page.length < remainingParts.length
  const marker = isTruncated
    ? `<NextPartNumberMarker>${page.at(-1)?.number}</NextPartNumberMarker>`
    : ''
  return `<ListPartsResult><IsTruncated>${isTruncated}</IsTruncated>${marker}${elements.join('')}</ListPartsResult>`
}

function buildErrorXml(code: string): string {
  return `<Error><Code>${code}</Code></Error>`
}
