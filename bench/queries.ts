import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import {
  contentType,
  makeAccount,
  makeKeyHeader,
  signIn,
  startMayfly,
  uploadCalls,
  uploadFile,
} from './mayfly.ts'
import { captureLog } from './postgres-log.ts'

/** The SQL statements of one HTTP request, in order, each shortened to its verb and tables. */
export interface RequestQueries {
  request: string
  statements: string[]
}

/**
 * Counts the SQL queries per HTTP request. Sends one request at a time to a server with its own
 * Postgres and reads the Postgres log.
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
    const requestQueries: RequestQueries[] = []
    const count = async <T>(request: string, send: () => Promise<T>): Promise<T> => {
      const { result, log } = await captureLog(mayfly, send)
      requestQueries.push({ request, statements: extractStatements(log) })
      return result
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
    const startedUpload = await count('POST /api/files/get-upload-url', () =>
      calls.start('counted.bin', bytes.length),
    )
    await count('PUT uploadUrl', () =>
      http.expectOk(startedUpload.uploadUrl, {
        method: 'PUT',
        headers: { 'content-type': contentType },
        body: bytes,
      }),
    )
    const { shortCode } = await count('POST /api/files/confirm-upload', () =>
      calls.confirm(startedUpload),
    )
    const keyHeader = await makeKeyHeader(mayfly, http, cookie)
    const putFile = () =>
      http.expectOk(`${mayfly.url}/api/up/counted.bin`, {
        method: 'PUT',
        headers: keyHeader,
        body: bytes,
      })
    // The first call in a minute records the use of the key.
    await putFile()
    await count('PUT /api/up/{name}', putFile)
    await count('GET /s/{code}, the page', () => get(`/s/${shortCode}`, { accept: 'text/html' }))
    await count('GET /api/links/{code}', () => get(`/api/links/${shortCode}`))
    await count('GET /api/download/{code}', () => get(`/api/download/${shortCode}`))
    return requestQueries
  } finally {
    http.close()
    await mayfly.stop()
  }
}

/** Returns the short form of each logged statement, except those from the job queue. */
function extractStatements(log: string): string[] {
  return [...log.matchAll(/LOG: {2}(?:statement|execute [^:]*): ((?:.*)(?:\n\t.*)*)/g)]
    .map(([, statement = '']) => statement)
    .filter((statement) => !/pgboss/i.test(statement))
    .map(shorten)
}

function shorten(statement: string): string {
  const compactStatement = statement.replaceAll('"', '').replace(/\s+/g, ' ').trim()
  const verb = /^\w+/.exec(compactStatement)?.[0].toLowerCase() ?? ''
  const subqueryNames = [...compactStatement.matchAll(/(\w+) as \(/g)].map(([, name]) => name)
  const tables = [...compactStatement.matchAll(/\b(?:from|into|update(?! set)|join) (\w+)/gi)]
    .map(([, table]) => table)
    .filter((table) => !subqueryNames.includes(table))
  return `${verb} ${[...new Set(tables)].join(' + ')}`.trim()
}
