import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { File } from '../src/shared/contract/files.ts'
import { freePort } from './support/free-port.ts'
import { json, logIn, makeClient, putBytes, signUp, startUpload } from './support/make.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './support/otlp-receiver.ts'
import { freshDatabase } from './support/postgres.ts'
import type { TestDatabase } from './support/postgres-server.ts'
import { describeOnS3, makeBucket } from './support/s3.ts'
import { type ServerProcess, startServerProcess } from './support/server-process.ts'
import { confirm } from './support/upload-requests.ts'

const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736'

describeOnS3('traces of the real program', () => {
  let folder: string
  let receiver: OtlpReceiver
  let server: ServerProcess
  let database: TestDatabase
  let secrets: string[]
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-traces-'))
    receiver = await startOtlpReceiver()
    database = await freshDatabase()
    const { env } = await makeBucket()
    server = await startServerProcess({
      dataDir: folder,
      port: await freePort(),
      env: {
        ...env,
        DATABASE_URL: database.url,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=collector-key',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      },
    })
    const { email, password } = await signUp(server)
    const cookie = await logIn(server, email, password)
    const owner = makeClient(server, cookie)
    const started = await startUpload(owner, { size: 3 })
    await putBytes(started, new TextEncoder().encode('abc'))
    const { shortCode } = await json<File>(await confirm(owner, started.cloudKey))
    const traceparent = `00-${callersTrace}-00f067aa0ba902b7-01`
    const path = `/api/download/${shortCode}`
    const answer = await makeClient(server).fetch(path, { headers: { traceparent } })
    expect(answer.status).toBe(302)
    const session = /session_token=([^;.]+)/.exec(cookie)?.[1] ?? ''
    const signature = /X-Amz-Signature=(\w+)/.exec(answer.headers.get('location') ?? '')?.[1] ?? ''
    secrets = [email, password, session, signature, shortCode, started.cloudKey, 'collector-key']
    const text = await makeClient(server).fetch('/api/links/nosuchcode')
    await json(text)
    // A stop sends what has not been sent yet.
    server.kill('SIGTERM')
    expect(await server.ended).toBe(0)
  })
  afterAll(async () => {
    await receiver.close()
    await database.drop()
    await rm(folder, { recursive: true })
  })

  const requestSpan = (name: string): ReceivedSpan => {
    const found = receiver.spans.find((span) => span.name === name)
    if (!found) throw new Error(`no span ${name} among ${receiver.spans.map((span) => span.name)}`)
    return found
  }
  const childrenOf = ({ spanId, traceId }: ReceivedSpan): ReceivedSpan[] =>
    receiver.spans.filter((span) => span.parentId === spanId && span.traceId === traceId)

  it('show a request with its statements and its calls to the bucket', () => {
    const confirm = requestSpan('POST /api/files/confirm-upload')
    expect(confirm).toMatchObject({
      parentId: '',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/files/confirm-upload',
        'mayfly.request_id': expect.stringMatching(/^\w{16}$/),
      },
    })
    const names = childrenOf(confirm).map(({ name }) => name)
    expect(names).toContain('S3 CompleteMultipartUpload')
    expect(names.slice(names.indexOf('BEGIN'))).toContain('COMMIT')
    const texts = childrenOf(confirm).map(({ attributes }) => attributes['db.query.text'] ?? '')
    expect(texts.find((text) => text.includes('insert into "files"'))).toContain('$1')
  })

  it('begin with a request, although jobs poll the database all the time', () => {
    const first = receiver.spans.filter(({ parentId }) => parentId === '')
    for (const { attributes } of first) expect(attributes).toHaveProperty('http.route')
  })

  it('name requests by the declared path, and follow no stranger', () => {
    const download = requestSpan('GET /api/download/{code}')
    expect(download.traceId).not.toBe(callersTrace)
    expect(download.parentId).toBe('')
    expect(requestSpan('GET /api/links/{code}').attributes).not.toHaveProperty('url.path')
  })

  it('carry no address, password, code, session, signature or storage key', () => {
    const sent = receiver.text()
    expect(sent).toContain('staging')
    expect(receiver.headers['x-key']).toBe('collector-key')
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(8)
      expect(sent).not.toContain(secret)
    }
  })
})
