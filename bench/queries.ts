import { randomBytes } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { contentType, makeAccount, signIn, startMayfly, uploadCalls, uploadFile } from './mayfly.ts'

/**
 * The statements that Postgres ran for one request, in order. Each is shortened to its verb and its
 * tables.
 */
export interface RequestQueries {
  request: string
  statements: string[]
}

/**
 * Counts the queries of each request in the log of Postgres. It starts a server of its own and
 * makes one request at a time.
 */
export async function countQueries(cores: Cores, scratch: string): Promise<RequestQueries[]> {
  const mayfly = await startMayfly(join(scratch, 'queries'), cores.server)
  const http = makeHttpClient(1)
  try {
    const account = await makeAccount(mayfly, http)
    const cookie = await signIn(mayfly, http)
    for (let index = 0; index < 20; index += 1) {
      await uploadFile(mayfly, http, cookie, { name: `${index}.bin`, bytes: randomBytes(100) })
    }
    const calls = uploadCalls(mayfly, http, cookie)
    await mayfly.sql("alter system set log_statement = 'all'")
    await mayfly.sql('select pg_reload_conf()')
    const logFile = join(mayfly.dataDir, 'postgres.log')

    const found: RequestQueries[] = []
    const count = async <T>(request: string, send: () => Promise<T>): Promise<T> => {
      const from = await settledSize(logFile)
      const answer = await send()
      const text = await readFrom(logFile, from, await settledSize(logFile))
      found.push({ request, statements: statementsIn(text) })
      return answer
    }
    const get = (path: string, headers: Record<string, string> = {}) =>
      http.expectOk(`${mayfly.url}${path}`, { headers })
    const bytes = randomBytes(100)

    await count('POST /api/auth/login', () =>
      http.expectOk(`${mayfly.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(account),
      }),
    )
    await count('GET /api/auth/user', () => get('/api/auth/user', { cookie }))
    await count('GET /api/files (20 files)', () => get('/api/files', { cookie }))
    const started = await count('POST /api/files/get-upload-url', () =>
      calls.start('counted.bin', bytes.length),
    )
    await count('PUT uploadUrl', () =>
      http.expectOk(started.uploadUrl, {
        method: 'PUT',
        headers: { 'content-type': contentType },
        body: bytes,
      }),
    )
    const { shortCode } = await count('POST /api/files/confirm-upload', () =>
      calls.confirm(started),
    )
    await count('GET /s/{code}, the page', () => get(`/s/${shortCode}`, { accept: 'text/html' }))
    await count('GET /api/links/{code}', () => get(`/api/links/${shortCode}`))
    await count('GET /api/download/{code}', () => get(`/api/download/${shortCode}`))
    return found
  } finally {
    http.close()
    await mayfly.stop()
  }
}

const quietMs = 150

/** Waits until no process writes to the file any more. Returns its size. */
async function settledSize(path: string): Promise<number> {
  for (;;) {
    const { size } = await stat(path)
    await wait(quietMs)
    if ((await stat(path)).size === size) return size
  }
}

async function readFrom(path: string, from: number, to: number): Promise<string> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(to - from), 0, to - from, from)
    return buffer.toString()
  } finally {
    await file.close()
  }
}

/**
 * Leaves out the statements of background jobs, which may run at the same time. They do not belong
 * to the request.
 */
function statementsIn(log: string): string[] {
  return [...log.matchAll(/LOG: {2}(?:statement|execute [^:]*): ((?:.*)(?:\n\t.*)*)/g)]
    .map(([, statement = '']) => statement)
    .filter((statement) => !/pgboss/i.test(statement))
    .map(shorten)
}

function shorten(statement: string): string {
  const words = statement.replaceAll('"', '').replace(/\s+/g, ' ').trim()
  const verb = /^\w+/.exec(words)?.[0].toLowerCase() ?? ''
  const named = [...words.matchAll(/(\w+) as \(/g)].map(([, name]) => name)
  const tables = [...words.matchAll(/\b(?:from|into|update(?! set)|join) (\w+)/gi)]
    .map(([, table]) => table)
    .filter((table) => !named.includes(table))
  return `${verb} ${[...new Set(tables)].join(' + ')}`.trim()
}
