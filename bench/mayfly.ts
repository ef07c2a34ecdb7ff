import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { findFreePort } from '../tests/support/free-port.ts'
import type { HttpClient } from './http-client.ts'
import { pinToCores } from './machine.ts'
import { listProcessTree } from './process-cost.ts'
import { startServer } from './servers.ts'

const root = join(import.meta.dirname, '..')
const password = 'only for this run'

/** Runs SQL and returns its rows. */
export type Sql = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>

export interface Mayfly {
  url: string
  dataDir: string
  pid: number
  /** Returns the pids of the server's processes, excluding Postgres. */
  pids(): number[]
  /** Returns the pids of the Postgres processes that the server currently uses. */
  postgresPids(): number[]
  readyMs: number
  /** Runs SQL on a separate connection. Returns the rows. */
  sql: Sql
  /** Runs several statements on the same database connection. */
  inSession<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
  stop(): Promise<void>
}

/** Returns package.json's `start` script without its preparation steps. */
async function startCommand(): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return scripts.start
}

/**
 * Starts Mayfly with embedded Postgres in `dataDir`. `appUrl` returns the public origin for a port.
 * Rate limits are off unless `env`, which adds settings, turns them on.
 */
export async function startMayfly(
  dataDir: string,
  cores: string,
  {
    appUrl,
    rateLimits = 'off',
    env = {},
  }: {
    appUrl?: (port: number) => string
    rateLimits?: 'on' | 'off'
    env?: Record<string, string>
  } = {},
): Promise<Mayfly> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const command = pinToCores(cores, ['sh', '-c', await startCommand()])
  const { pid, readyMs, stop } = await startServer(command, {
    cwd: root,
    url: `${url}/api/ready`,
    logFile: `${dataDir}.log`,
    env: {
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      APP_URL: appUrl?.(port) ?? '',
      RATE_LIMITS: rateLimits,
      LOG_LEVEL: 'info',
      NODE_ENV: 'production',
      ...env,
    },
  })
  // Line 1 is the pid of Postgres, and line 5 its socket directory.
  const lines = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')
  // If root starts Postgres, the path begins with /proc/self, where `self` means the Postgres
  // process.
  const host = lines[4]?.replace('/proc/self/', `/proc/${lines[0]}/`)
  const inSession = async <Result>(work: (sql: Sql) => Promise<Result>) => {
    const client = new pg.Client({ host, user: 'postgres', database: 'postgres' })
    await client.connect()
    try {
      return await work(async <Row extends object>(text: string, values: unknown[] = []) => {
        const { rows } = await client.query<Row>(text, values)
        return rows
      })
    } finally {
      await client.end()
    }
  }
  const listPostgresPids = () => listProcessTree(Number(lines[0]))
  return {
    url,
    dataDir,
    pid,
    pids() {
      const postgresPidSet = new Set(listPostgresPids())
      return listProcessTree(pid).filter((treePid) => !postgresPidSet.has(treePid))
    },
    postgresPids: listPostgresPids,
    readyMs,
    sql: (text, values) => inSession((sql) => sql(text, values)),
    inSession,
    stop,
  }
}

export interface Credentials {
  email: string
  password: string
}

/** Creates a premium account. */
export async function makeAccount(mayfly: Mayfly, http: HttpClient): Promise<Credentials> {
  const email = `${randomUUID()}@example.org`
  await http.expectOk(`${mayfly.url}/api/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      firstName: 'Ada',
      lastName: 'Lovelace',
      email,
      password,
      confirmPassword: password,
    }),
  })
  await mayfly.sql("update users set tier = 'premium' where email = $1", [email])
  return { email, password }
}

/** Creates a premium account, signs it in and returns its cookie. */
export async function signIn(mayfly: Mayfly, http: HttpClient): Promise<string> {
  const credentials = await makeAccount(mayfly, http)
  const { headers } = await http.expectOk(`${mayfly.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

/** Creates an API key that can upload. Returns the header that sends it. */
export async function makeKeyHeader(
  mayfly: Mayfly,
  http: HttpClient,
  cookie: string,
): Promise<{ authorization: string }> {
  const { body } = await http.expectOk(`${mayfly.url}/api/keys`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Benchmark', scopes: ['files:write'] }),
  })
  return { authorization: `Bearer ${JSON.parse(body.toString()).key}` }
}

export const contentType = 'application/octet-stream'

interface StartedUpload {
  uploadUrl: string
  cloudKey: string
  metadata: unknown
  parts?: { size: number; count: number }
}

/**
 * Returns the API calls that a browser makes during an upload: start it, get URLs for more parts,
 * confirm it.
 */
export function uploadCalls(mayfly: Mayfly, http: HttpClient, cookie: string) {
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await http.expectOk(`${mayfly.url}${path}`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return JSON.parse(response.body.toString())
  }
  const uploadRequest = (fileName: string, fileSize: number) => ({
    fileName,
    fileSize,
    fileType: contentType,
    expirationDays: '3',
  })
  return {
    start: async (fileName: string, fileSize: number) =>
      (await post('/api/files/get-upload-url', uploadRequest(fileName, fileSize))) as StartedUpload,
    /** Starts many uploads of the same size in one link. */
    startLink: async (fileNames: readonly string[], fileSize: number) => {
      const files = fileNames.map((fileName) => ({ fileName, fileSize, fileType: contentType }))
      return (await post('/api/links', { files, expirationDays: 3 })) as {
        link: { shortCode: string }
        uploads: StartedUpload[]
      }
    },
    sign: async ({ cloudKey }: StartedUpload, partNumbers: number[]) =>
      (
        (await post('/api/files/upload-parts', { cloudKey, partNumbers })) as {
          urls: Record<string, string>
        }
      ).urls,
    /** Confirms up to 100 uploads with one request. */
    confirmAll: async (startedUploads: readonly StartedUpload[]) => {
      const uploads = startedUploads.map(({ cloudKey, metadata }) => ({ cloudKey, metadata }))
      const { results } = (await post('/api/files/confirm-uploads', { uploads })) as {
        results: { error?: unknown }[]
      }
      const refused = results.find(({ error }) => error !== undefined)
      if (refused) throw new Error(`A confirm was refused: ${JSON.stringify(refused)}`)
    },
    confirm: async ({ cloudKey, metadata }: StartedUpload) =>
      (await post('/api/files/confirm-upload', {
        cloudKey,
        metadata,
        uploadStartTime: Date.now(),
      })) as { id: string; shortCode: string },
  }
}

/** Uploads a file and returns its short code. */
export async function uploadFile(
  mayfly: Mayfly,
  http: HttpClient,
  cookie: string,
  file: { name: string; bytes: Buffer },
): Promise<string> {
  const calls = uploadCalls(mayfly, http, cookie)
  const startedUpload = await calls.start(file.name, file.bytes.length)
  await http.expectOk(startedUpload.uploadUrl, {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: file.bytes,
  })
  return (await calls.confirm(startedUpload)).shortCode
}
