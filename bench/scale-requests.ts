import { createHmac, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sessionCookieName } from '../src/server/http/session.ts'
import type { HttpClient } from './http-client.ts'
import { type Mayfly, signIn, uploadFile } from './mayfly.ts'
import { filesPerUser } from './scale-rows.ts'

const fileBytes = 1024
/** Approximate number of files and users that the samples are drawn from. */
const sampledRowCounts = { files: 20_000, users: 4_000 }

/** A file with an active link. */
interface OpenFile {
  code: string
  key: string
}

/** A premium user's file that hasn't been purged, and one of that user's sessions. */
interface OwnedFile {
  id: string
  key: string
  name: string
  token: string
}

/** Randomly chosen database rows for the requests to use. */
export interface Sample {
  links: OpenFile[]
  /** `renewedFiles` and `deleted` have no file in common. */
  renewedFiles: OwnedFile[]
  deleted: OwnedFile[]
  /** Session tokens of free users who haven't reached their file limit. */
  freeTokens: string[]
  emails: string[]
}

/**
 * Draws `count` random rows of each kind. Stores 1 KiB for each file that will be downloaded or
 * deleted.
 * @param fileCount the number of files in the database.
 */
export async function drawSample(
  mayfly: Mayfly,
  fileCount: number,
  count: number,
): Promise<Sample> {
  const createSampleSql = (table: keyof typeof sampledRowCounts, rowCount: number) =>
    `${table} tablesample system (${Math.min(100, (100 * sampledRowCounts[table]) / rowCount)})`
  const sampledFilesSql = createSampleSql('files', fileCount)
  const sampledUsersSql = createSampleSql('users', fileCount / filesPerUser)
  const links = await mayfly.sql<OpenFile>(
    `select short_code as code, storage_key as key from ${sampledFilesSql}
      join links on links.id = link_id
      where expires_at > now() and purging_at is null
      order by random() limit $1`,
    [count],
  )
  const ownedFiles = await mayfly.sql<OwnedFile>(
    `select files.id, storage_key as key, original_name as name, token from ${sampledFilesSql}
      join links on links.id = link_id
      join users on users.id = files.owner_id and tier = 'premium'
      join lateral (select token from sessions where user_id = files.owner_id limit 1) session on true
      where purging_at is null and max_lifetime_at > now() + interval '1 day'
        and not short_code = any($2)
      order by random() limit $1`,
    [2 * count, links.map(({ code }) => code)],
  )
  const freeSessions = await mayfly.sql<{ token: string }>(
    `select token from ${sampledUsersSql}
      join lateral (select token from sessions where user_id = users.id limit 1) session on true
      where tier = 'free' and not exists (select 1 from uploads where owner_id = users.id)
        and (select count(*) from files join links on links.id = link_id
          where files.owner_id = users.id and expires_at > now() and purging_at is null) < 3
      order by random() limit $1`,
    [count],
  )
  const userEmails = await mayfly.sql<{ email: string }>(
    `select email from ${sampledUsersSql} where role = 'user' order by random() limit $1`,
    [count],
  )
  const filesToDelete = ownedFiles.slice(count)
  for (const sampleRows of [links, filesToDelete, freeSessions, userEmails]) {
    if (sampleRows.length < count) throw new Error('The database has too few rows for a sample.')
  }
  await storeBytes(mayfly, [...links, ...filesToDelete])
  const freeTokens = freeSessions.map(({ token }) => token)
  await touchSessions(mayfly, [...ownedFiles.map(({ token }) => token), ...freeTokens])
  return {
    links,
    renewedFiles: ownedFiles.slice(0, count),
    deleted: filesToDelete,
    freeTokens,
    emails: userEmails.map(({ email }) => email),
  }
}

/** Stores 1 KiB for each of these files, which so far have only a database row. */
async function storeBytes(mayfly: Mayfly, files: { key: string }[]): Promise<void> {
  const keys = files.map(({ key }) => key)
  await mayfly.sql('update files set size = $1 where storage_key = any($2)', [fileBytes, keys])
  for (const key of keys) {
    const path = join(mayfly.dataDir, 'files', key.slice(0, 2), key)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, randomBytes(fileBytes))
  }
}

/** Marks these sessions as just used, so that the measured requests don't have to. */
async function touchSessions(mayfly: Mayfly, tokens: string[]): Promise<void> {
  await mayfly.sql('update sessions set updated_at = now() where token = any($1)', [tokens])
}

/** Sends the request with number `index`. */
type NumberedRequest = (index: number) => Promise<unknown>

export interface Requests {
  /** Functions that each send one request, by the request's name in the report. */
  byName: Record<string, NumberedRequest>
  /** Requests the Admin Center's counts of all users and files. */
  countAll: NumberedRequest
  /** Performs an admin action that invalidates the cached counts. */
  invalidateCounts: NumberedRequest
}

/**
 * Returns the requests to measure. Each call uses a different row from the sample. The requests
 * that make up an upload are measured together.
 * @param secret signs the session cookies.
 */
export async function prepareRequests(
  mayfly: Mayfly,
  http: HttpClient,
  sample: Sample,
  secret: string,
): Promise<Requests> {
  const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    http.expectOk(`${mayfly.url}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const cookieName = sessionCookieName(new URL(mayfly.url))
  const createCookie = (token = '') => {
    const signature = createHmac('sha256', secret).update(token).digest('base64')
    return `${cookieName}=${encodeURIComponent(`${token}.${signature}`)}`
  }
  const get = (path: string, headers: Record<string, string> = {}) => send('GET', path, headers)
  const bytes = randomBytes(fileBytes)
  const upload = (token: string | undefined, index: number) =>
    uploadFile(mayfly, http, createCookie(token), { name: `Report ${index}.pdf`, bytes })

  const getCode = (index: number) => sample.links[index]?.code
  const getOwner = (index: number) => ({ cookie: createCookie(sample.renewedFiles[index]?.token) })
  const getAsOwner = (path: string) => (index: number) => get(path, getOwner(index))
  const getEmail = (index: number) => encodeURIComponent(sample.emails[index] ?? '')
  const admin = { cookie: await signIn(mayfly, http) }
  const { body } = await get('/api/auth/user', admin)
  const { id } = JSON.parse(body.toString()) as { id: string }
  await mayfly.sql("update users set role = 'admin' where id = $1", [id])

  const invalidateCounts = () => send('POST', '/api/admin/expire-files', admin)
  const byName: Requests['byName'] = {
    'GET /s/{code}, the page': (index) => get(`/s/${getCode(index)}`, { accept: 'text/html' }),
    'GET /api/links/{code}': (index) => get(`/api/links/${getCode(index)}`),
    'GET /api/download/{code}, 1 KiB': (index) => get(`/api/download/${getCode(index)}`),
    'GET /api/auth/user': getAsOwner('/api/auth/user'),
    'GET /api/links, the first 100': getAsOwner('/api/links?limit=100'),
    'GET /api/links, a search': (index) =>
      get(
        `/api/links?limit=100&search=${encodeURIComponent(sample.renewedFiles[index]?.name ?? '')}`,
        getOwner(index),
      ),
    'GET /api/links, by downloads': getAsOwner('/api/links?limit=100&sort=-downloads'),
    'GET /api/files/summary': getAsOwner('/api/files/summary'),
    'GET /api/files/receipts': getAsOwner('/api/files/receipts'),
    'GET /api/analytics': getAsOwner('/api/analytics'),
    'GET /api/files/{id}/stats': (index) =>
      get(`/api/files/${sample.renewedFiles[index]?.id}/stats`, getOwner(index)),
    'upload of 1 KiB: start, PUT, confirm': (index) =>
      upload(sample.renewedFiles[index]?.token, index),
    'the same by a free user': (index) => upload(sample.freeTokens[index], index),
    'PATCH /api/files/{id}/renew': (index) =>
      send('PATCH', `/api/files/${sample.renewedFiles[index]?.id}/renew`, getOwner(index), {
        expirationDays: '7',
      }),
    'DELETE /api/files/{id}': (index) =>
      send('DELETE', `/api/files/${sample.deleted[index]?.id}`, {
        cookie: createCookie(sample.deleted[index]?.token),
      }),
    'GET /api/admin/users, a search': (index) =>
      get(`/api/admin/users?search=${getEmail(index)}`, admin),
    'GET /api/admin/audit, of a user': (index) =>
      get(`/api/admin/audit?user=${getEmail(index)}`, admin),
    'POST /api/admin/expire-files, nothing due': invalidateCounts,
  }
  return { byName, countAll: () => get('/api/admin/stats', admin), invalidateCounts }
}
