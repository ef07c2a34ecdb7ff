import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessions } from '../../src/server/db/schema.ts'
import type { Endpoint } from '../../src/shared/contract/endpoint.ts'
import type { File } from '../../src/shared/contract/files.ts'
import { endpoints } from '../../src/shared/contract/index.ts'
import {
  changeRequest,
  closeRequest,
  listRequests,
  makeRequest,
  sendDelivery,
} from '../support/file-requests.ts'
import { makeKey, withKey } from '../support/keys.ts'
import {
  changeLink,
  contentsOf,
  deleteLink,
  newFile,
  requestLink,
  requestMoreFiles,
} from '../support/link-requests.ts'
import {
  type Client,
  json,
  listParts,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  requestDeletion,
  requestRenewal,
  startUpload,
} from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import {
  codesOf,
  confirmInBatch,
  requestConfirms,
  startAndSend,
  startUploads,
  uploadRequest,
} from '../support/upload-batches.ts'
import {
  abortUpload,
  requestConfirm,
  requestPartList,
  requestParts,
  requestUpload,
} from '../support/upload-requests.ts'

/*
 * The attack (IDOR): a user knows every id and key of another user's files, uploads and sessions.
 * None of them may work in anyone else's session, not even the administrator's.
 */

let app: TestApp
let owner: Person
let otherUsers: Record<'another user' | 'the administrator', Person>
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app)
  otherUsers = {
    'another user': await makePerson(app, { tier: 'premium', emailVerified: true }),
    'the administrator': await makePerson(app, {
      role: 'admin',
      tier: 'premium',
      emailVerified: true,
    }),
  }
})
afterAll(() => app.close())

/**
 * Request fields that name a file, a link, an upload or a session. `ownerId` is excluded: it only
 * says who the page believes is signed in.
 */
const idFieldPattern = /^(?!ownerId$)(id|.+Ids?|code|cloudKeys?|uploads)$/

function takesId({ access, params, query, body }: Endpoint) {
  const fields = [params, query, body].flatMap((schema) =>
    schema && 'shape' in schema ? Object.keys(schema.shape as object) : [],
  )
  // Admin endpoints exist to act on other users' files. contract.test.ts tests access to them.
  const isForOwners = access === 'user' || typeof access === 'object'
  return isForOwners && fields.some((field) => idFieldPattern.test(field))
}

type Attempt = (client: Client, name: string) => Promise<Response>

/**
 * A call for each endpoint that takes one id or key. Endpoints that take several are tested below.
 */
const attempts: Record<string, Attempt> = {
  deleteFile: (client, id) => client.fetch(`/api/files/${id}`, { method: 'DELETE' }),
  renewFile: requestRenewal,
  fileStats: (client, id) => client.fetch(`/api/files/${id}/stats`),
  signParts: (client, key) => requestParts(client, key, [1]),
  listParts: requestPartList,
  confirmUpload: (client, key) => requestConfirm(client, key),
  createFileRecord: (client, cloudKey) => client.post('/api/files', { cloudKey }),
  abortUpload,
  linkStats: (client, code) => client.fetch(`/api/links/${code}/stats`),
  addFiles: (client, code) => requestMoreFiles(client, code),
  changeLink: (client, code) =>
    changeLink(client, code, { title: 'x', password: null, maxDownloads: 1 }),
  deleteLink,
  sendLink: (client, code) => client.post(`/api/links/${code}/send`, { to: ['a@example.org'] }),
  renewLink: (client, code) =>
    client.fetch(`/api/links/${code}/renew`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ expirationDays: 3 }),
    }),
  changeRequest: (client, id) => changeRequest(client, id, { title: 'x', password: null }),
  closeRequest,
  revokeKey: (client, id) => client.fetch(`/api/keys/${id}`, { method: 'DELETE' }),
  endSession: (client, id) => client.fetch(`/api/auth/sessions/${id}`, { method: 'DELETE' }),
}

async function findSessionId({ id }: Person) {
  const [row] = await app.deps.db.select().from(sessions).where(eq(sessions.userId, id))
  return row?.id ?? ''
}

it('covers every endpoint that takes the id of a file, link or upload', () => {
  const endpointEntries = Object.entries(endpoints as Record<string, Endpoint>)
  const namesWithIds = endpointEntries
    .filter(([, endpoint]) => takesId(endpoint))
    .map(([name]) => name)
  const testedNames = [...Object.keys(attempts), 'deleteFiles', 'confirmUploads', 'listLinks']
  expect(testedNames.toSorted()).toEqual(namesWithIds.toSorted())
})

describe.each(Object.entries(attempts))('%s', (name, attempt) => {
  it.each(['another user', 'the administrator'] as const)(
    "answers %s as if the object didn't exist, and doesn't change it",
    async (caller) => {
      const file = await makeFile(owner)
      const { cloudKey } = await startUpload(owner, { size: 10 })
      const request = await makeRequest(owner)
      const key = await makeKey(owner)
      const ids: Record<string, string> = {
        deleteFile: file.id,
        renewFile: file.id,
        fileStats: file.id,
        linkStats: file.shortCode,
        addFiles: file.shortCode,
        changeLink: file.shortCode,
        deleteLink: file.shortCode,
        sendLink: file.shortCode,
        renewLink: file.shortCode,
        changeRequest: request.id,
        closeRequest: request.id,
        revokeKey: key.id,
        endSession: await findSessionId(owner),
      }
      const foreignResponse = await attempt(otherUsers[caller], ids[name] ?? cloudKey)
      const missingResponse = await attempt(otherUsers[caller], randomUUID())
      expect(foreignResponse.status).toBe(404)
      expect(await foreignResponse.json()).toEqual(await missingResponse.json())

      expect(await listRequests(owner)).toContainEqual(request)
      expect((await withKey(makeClient(app), key.key).fetch('/api/files')).status).toBe(200)
      await closeRequest(owner, request.id)
      expect(await listParts(owner, cloudKey)).toEqual([])
      expect((await abortUpload(owner, cloudKey)).status).toBe(200)
      expect((await makeClient(app).fetch(`/api/download/${file.shortCode}`)).status).toBe(200)
      const deleteResponse = await owner.fetch(`/api/files/${file.id}`, { method: 'DELETE' })
      expect(deleteResponse.status).toBe(200)
    },
  )

  it('rejects anonymous callers before any lookup', async () => {
    const { status } = await attempt(makeClient(app), randomUUID())
    expect(status).toBe(401)
  })
})

describe('deleteFiles', () => {
  it.each(['another user', 'the administrator'] as const)(
    "answers %s as if the file didn't exist, and doesn't change it",
    async (caller) => {
      const file = await makeFile(owner)
      const ids = [file.id, randomUUID()]
      const response = await requestDeletion(otherUsers[caller], ids)
      expect(await response.json()).toMatchObject({ deletedCount: 0, notFound: ids })
      expect((await makeClient(app).fetch(`/api/download/${file.shortCode}`)).status).toBe(200)
      expect(await json(await requestDeletion(owner, ids))).toMatchObject({ deletedCount: 1 })
    },
  )

  it('rejects anonymous callers', async () => {
    expect((await requestDeletion(makeClient(app), [randomUUID()])).status).toBe(401)
  })
})

describe('confirmUploads', () => {
  it.each(['another user', 'the administrator'] as const)(
    "answers %s as if the upload didn't exist, and doesn't change it",
    async (caller) => {
      const [upload] = await startAndSend(owner, [new Uint8Array(3)])
      const keys = [upload?.cloudKey, randomUUID()].map((cloudKey) => ({ cloudKey }))
      const [foreignResult, missingResult] = await confirmInBatch(otherUsers[caller], keys)
      expect(foreignResult?.error?.httpStatus).toBe(404)
      expect(foreignResult).toEqual(missingResult)
      const [{ answer: file } = {}] = await confirmInBatch(owner, keys)
      const deleteResponse = await owner.fetch(`/api/files/${file?.id}`, { method: 'DELETE' })
      expect(deleteResponse.status).toBe(200)
    },
  )

  it('rejects anonymous callers', async () => {
    const visitor = makeClient(app)
    expect((await requestConfirms(visitor, [{ cloudKey: randomUUID() }])).status).toBe(401)
  })
})

describe('the storage key of a finished file', () => {
  it('gives no other user access to its bytes', async () => {
    const { cloudKey, uploadUrl } = await startUpload(owner, { size: 3 })
    const headers = { 'content-type': 'text/plain' }
    await fetch(uploadUrl, { method: 'PUT', headers, body: 'abc' })
    expect((await requestConfirm(owner, cloudKey)).status).toBe(200)
    expect((await requestConfirm(otherUsers['another user'], cloudKey)).status).toBe(404)
    expect((await makeClient(app).fetch(`/api/download/${cloudKey}`)).status).toBe(404)
    expect((await makeClient(app).fetch(`/storage/${cloudKey}`)).status).toBe(403)
    expect((await otherUsers['another user'].fetch(`/storage/${cloudKey}`)).status).toBe(403)
  })
})

describe('a list of links', () => {
  it("shows only the caller's links, whatever the cursor and search", async () => {
    const cursorOwner = await makePerson(app)
    for (const person of [cursorOwner, cursorOwner]) await makeFile(person)
    const pageResponse = await cursorOwner.fetch('/api/links?limit=1')
    const cursor = pageResponse.headers.get('x-next-cursor')
    expect(cursor).not.toBeNull()
    const request = await makeRequest(cursorOwner)
    await sendDelivery(app, request.code, {}, contentsOf(10))
    const stranger = await makePerson(app)
    const requestQuery = `requestId=${request.id}`
    for (const query of [
      requestQuery,
      `limit=9&cursor=${cursor}`,
      'search=notes',
      'search=%25',
      'sort=name',
    ])
      expect(await json(await stranger.fetch(`/api/links?${query}`))).toEqual([])
    expect((await makeClient(app).fetch('/api/links')).status).toBe(401)
  })
})

describe("a file of somebody else's link", () => {
  it('is found neither under the own link nor with its id as the code', async () => {
    const [foreign, own] = [
      await makeFile(await makePerson(app)),
      await makeFile(otherUsers['another user']),
    ]
    for (const path of [
      `${own.shortCode}/${foreign.id}`,
      foreign.id,
      `${foreign.id}/${foreign.id}`,
    ])
      expect((await makeClient(app).fetch(`/api/download/${path}`)).status).toBe(404)
  })
})

describe('a list of files', () => {
  it("shows only the caller's files, whatever the cursor", async () => {
    const cursorOwner = await makePerson(app)
    for (const person of [cursorOwner, cursorOwner, owner]) await makeFile(person)
    const pageResponse = await cursorOwner.fetch('/api/files?limit=1')
    const cursor = pageResponse.headers.get('x-next-cursor')
    expect(cursor).not.toBeNull()
    const otherUser = otherUsers['another user']
    const listResponse = await otherUser.fetch(`/api/files?limit=9&cursor=${cursor}`)
    const ownFiles = await json<File[]>(await otherUser.fetch('/api/files'))
    const ownIds = ownFiles.map(({ id }) => id)
    for (const { id } of await json<File[]>(listResponse)) expect(ownIds).toContain(id)
  })
})

describe('starting an upload', () => {
  it('for another user is rejected and takes none of their slots', async () => {
    const victim = await makePerson(app)
    for (let attemptNumber = 0; attemptNumber < 4; attemptNumber += 1) {
      const { status } = await requestUpload(otherUsers['another user'], { ownerId: victim.id })
      expect(status).toBe(401)
    }
    const files = [newFile()]
    const response = await requestLink(otherUsers['another user'], files, { ownerId: victim.id })
    expect(response.status).toBe(401)
    const batchResults = await startUploads(otherUsers['another user'], [
      uploadRequest({ ownerId: victim.id }),
    ])
    expect(codesOf(batchResults)).toEqual(['UNAUTHORIZED'])
    expect((await requestUpload(victim)).status).toBe(200)
  })
})
