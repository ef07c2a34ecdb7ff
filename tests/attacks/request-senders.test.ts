import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { uploads } from '../../src/server/db/schema.ts'
import { createUploadToken } from '../../src/server/requests/upload-token.ts'
import type { FileRequest } from '../../src/shared/contract/requests.ts'
import { hourInMs } from '../../src/shared/rules/format/units.ts'
import { requestUserDeletion } from '../support/admin-requests.ts'
import {
  changeRequest,
  closeRequest,
  listReceived,
  makeRequest,
  requestDelivery,
  type StartedDelivery,
  sendDelivery,
  startDelivery,
  withToken,
} from '../support/file-requests.ts'
import { contentsOf, newFile } from '../support/link-requests.ts'
import {
  type Client,
  expectOk,
  json,
  makeClient,
  makeFile,
  makePerson,
  type Person,
  putBytes,
  startUpload,
} from '../support/make.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { testSpace } from '../support/test-space.ts'
import { requestConfirms } from '../support/upload-batches.ts'
import {
  abortUpload,
  expectError,
  requestConfirm,
  requestPartList,
  requestParts,
} from '../support/upload-requests.ts'

/*
 * The attacks: somebody without an account knows a request's address and sends what they like to
 * it. They must reach nothing but their own delivery, and leave the owner able to work.
 */

let app: TestApp
let administrator: Person
let owner: Person
let request: FileRequest
beforeAll(async () => {
  app = await startTestApp({ space: testSpace() })
  administrator = await makePerson(app, { role: 'admin' })
})
afterAll(() => app.close())
beforeEach(async () => {
  owner = await makePerson(app, { tier: 'premium' })
  request = await makeRequest(owner)
})

const uploadCalls: Record<string, (client: Client, cloudKey: string) => Promise<Response>> = {
  'sign parts': (client, cloudKey) => requestParts(client, cloudKey, [1]),
  'list parts': requestPartList,
  confirm: (client, cloudKey) => requestConfirm(client, cloudKey),
  abort: abortUpload,
}

/** Starts a delivery of one file whose bytes have arrived. */
async function startComplete(): Promise<StartedDelivery & { sender: Client; cloudKey: string }> {
  const started = await startDelivery(makeClient(app), request.code)
  const [upload] = started.uploads
  if (!upload) throw new Error('Expected an upload.')
  await expectOk(await putBytes(upload, new Uint8Array(10)))
  const sender = withToken(makeClient(app), started.uploadToken)
  return { ...started, sender, cloudKey: upload.cloudKey }
}

describe.each(Object.entries(uploadCalls))('a token used to %s', (_, call) => {
  it('reaches no other delivery, no upload of the owner, and nothing once it is forged', async () => {
    const victim = await startComplete()
    const { uploadToken } = await startDelivery(makeClient(app), request.code)
    const attacker = withToken(makeClient(app), uploadToken)
    const ownUpload = await startUpload(owner, { size: 3 })
    for (const cloudKey of [victim.cloudKey, ownUpload.cloudKey, randomUUID()])
      await expectError(await call(attacker, cloudKey), 404, 'UPLOAD_NOT_FOUND')
    const linkId = victim.uploadToken.split('.')[0] ?? ''
    for (const forgery of [
      linkId,
      `${linkId}.${uploadToken.split('.')[1]}`,
      createUploadToken('another secret', linkId),
    ]) {
      const forger = withToken(makeClient(app), forgery)
      await expectError(await call(forger, victim.cloudKey), 401, 'UNAUTHORIZED')
    }
    await expectError(await call(makeClient(app), victim.cloudKey), 401, 'UNAUTHORIZED')
    expect((await call(victim.sender, victim.cloudKey)).status).toBe(200)
  })

  it('works for an hour after the request has closed, and nothing new begins', async () => {
    const { sender, cloudKey } = await startComplete()
    await closeRequest(owner, request.id)
    app.clock.advance(hourInMs - 1)
    await expectError(await requestDelivery(sender, request.code), 404, 'REQUEST_NOT_FOUND')
    expect((await call(sender, cloudKey)).status).toBe(200)
    app.clock.advance(1)
    await expectError(await call(sender, cloudKey), 404, 'REQUEST_NOT_FOUND')
  })

  it('ends with the account of the owner, and with the delivery', async () => {
    const { sender, cloudKey } = await startComplete()
    const [link] = await listReceived(owner, request)
    await owner.fetch(`/api/links/${link?.shortCode}`, { method: 'DELETE' })
    await expectError(await call(sender, cloudKey), 404, 'REQUEST_NOT_FOUND')
    const second = await startComplete()
    expect((await requestUserDeletion(administrator, owner.id)).status).toBe(200)
    await expectError(await call(second.sender, second.cloudKey), 404, 'REQUEST_NOT_FOUND')
  })
})

describe('a token', () => {
  it('confirms again with the same answer, and reads nothing', async () => {
    const { sender, cloudKey } = await startComplete()
    const answer = { originalName: 'notes.txt', mimeType: 'text/plain', size: 10 }
    for (const _ of [1, 2])
      expect(await json(await requestConfirm(sender, cloudKey))).toEqual(answer)
    await expectError(await requestConfirms(sender, [{ cloudKey }]), 401, 'UNAUTHORIZED')
    const [link] = await listReceived(owner, request)
    const paths = [
      `/api/links/${link?.shortCode}`,
      `/api/download/${link?.shortCode}`,
      `/s/${link?.shortCode}`,
    ]
    for (const path of paths) expect((await sender.fetch(path)).status).toBe(404)
    const ownerPaths = ['/api/links', '/api/files', '/api/requests', '/api/auth/user']
    for (const path of ownerPaths) expect((await sender.fetch(path)).status).toBe(401)
    await expectError(await requestPartList(sender, cloudKey), 404, 'UPLOAD_NOT_FOUND')
  })

  it('narrows the rights of a signed-in owner to its delivery', async () => {
    const { uploadToken } = await startDelivery(makeClient(app), request.code)
    const ownUpload = await startUpload(owner, { size: 3 })
    const ownerWithToken = withToken(owner, uploadToken)
    const response = await abortUpload(ownerWithToken, ownUpload.cloudKey)
    await expectError(response, 404, 'UPLOAD_NOT_FOUND')
  })

  it('adds files to its own delivery alone', async () => {
    const { uploadToken } = await startDelivery(makeClient(app), request.code)
    const otherRequest = await makeRequest(owner)
    const sender = withToken(makeClient(app), uploadToken)
    const other = await startDelivery(sender, otherRequest.code)
    expect(other.uploadToken).not.toBe(uploadToken)
    expect((await listReceived(owner, request))[0]?.files).toHaveLength(1)
    const forger = withToken(makeClient(app), `${randomUUID()}.x`)
    await expectError(await requestDelivery(forger, request.code), 401, 'UNAUTHORIZED')
  })
})

describe('the key of a repeated start', () => {
  it('finds neither uploads of the owner nor those of another request', async () => {
    const key = 'a key that somebody could guess'
    const ownUpload = await startUpload(owner, { size: 10, idempotencyKey: key })
    const ownKeys = [key, `${key}:0`]
    for (const idempotencyKey of ownKeys) {
      const visitor = makeClient(app)
      const started = await startDelivery(visitor, request.code, [newFile()], { idempotencyKey })
      expect(started.uploads[0]?.cloudKey).not.toBe(ownUpload.cloudKey)
    }
  })
})

describe('a flood of deliveries', () => {
  it('is limited by address, also for codes that do not exist', async () => {
    const limitedApp = await startTestApp({ env: { RATE_LIMITS: 'on' } })
    const { code } = await makeRequest(await makePerson(limitedApp))
    const visitor = makeClient(limitedApp)
    for (let count = 0; count < 120; count += 1) {
      expect((await requestDelivery(visitor, 'abcdefghij')).status).toBe(404)
    }
    await expectError(await requestDelivery(visitor, code), 429, 'TOO_MANY_REQUESTS')
    limitedApp.clock.advance(hourInMs)
    await startDelivery(visitor, code)
    await limitedApp.close()
  })

  it('leaves the owner half of the unfinished bytes, and their paused uploads', async () => {
    const largest = 1024 ** 3
    const files = Array.from({ length: 17 }, () => newFile({ fileSize: largest }))
    const response = await requestDelivery(makeClient(app), request.code, files)
    await expectError(response, 409, 'REQUEST_FULL')
    await startDelivery(makeClient(app), request.code, files.slice(1))
    const more = await requestDelivery(makeClient(app), request.code)
    await expectError(more, 409, 'REQUEST_FULL')
    await startUpload(owner, { size: largest })

    const freeOwner = await makePerson(app)
    const freeRequest = await makeRequest(freeOwner)
    await startUpload(freeOwner, { size: 5 })
    app.clock.advance(hourInMs / 2)
    for (let count = 0; count < 10; count += 1) {
      await requestDelivery(makeClient(app), freeRequest.code)
      app.clock.advance(hourInMs / 2)
    }
    const isOwners = eq(uploads.ownerId, freeOwner.id)
    const open = await app.deps.db.select().from(uploads).where(isOwners)
    expect(open.map(({ size }) => size).toSorted()).toContain(5)
    expect(open.length).toBeLessThanOrEqual(6)
  })

  it('cannot exceed the slots of the owner, by two senders at once', async () => {
    const freeOwner = await makePerson(app)
    const freeRequest = await makeRequest(freeOwner)
    await makeFile(freeOwner)
    const files = [newFile(), newFile()]
    const responses = await Promise.all(
      [1, 2, 3].map(() => requestDelivery(makeClient(app), freeRequest.code, files)),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  })
})

describe('a closed request', () => {
  it('takes nothing, also if it closes at the same moment', async () => {
    const responses = await Promise.all([
      closeRequest(owner, request.id),
      ...[1, 2, 3].map(() => requestDelivery(makeClient(app), request.code)),
    ])
    const accepted = responses.slice(1).filter(({ status }) => status === 201)
    expect(await listReceived(owner, request)).toHaveLength(accepted.length)
    await expectError(
      await requestDelivery(makeClient(app), request.code),
      404,
      'REQUEST_NOT_FOUND',
    )
  })
})

describe('title and message of a request', () => {
  it('are text on the page, whatever they contain', async () => {
    const title = '<script>alert(1)</script> &amp; "x"'
    await changeRequest(owner, request.id, { title, message: '</p><img src=x onerror=alert(1)>' })
    const page = await (await makeClient(app).fetch(`/r/${request.code}`)).text()
    expect(page).not.toContain('<script>alert(1)')
    expect(page).not.toContain('<img src=x')
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  })

  it('never come with the address of the user who asks', async () => {
    const pages = [`/r/${request.code}`, `/api/requests/${request.code}`]
    for (const path of pages) {
      const text = await (await makeClient(app).fetch(path)).text()
      expect(text).not.toContain(owner.email)
      expect(text).not.toContain(owner.id)
    }
  })
})

describe('what somebody sends', () => {
  it('is counted against the tier of the owner at that time', async () => {
    const { uploads: started, uploadToken } = await startDelivery(makeClient(app), request.code, [
      newFile(),
      newFile(),
      newFile(),
      newFile(),
    ])
    await owner.post('/api/auth/toggle-premium')
    const sender = withToken(makeClient(app), uploadToken)
    const statuses = []
    for (const upload of started) {
      await putBytes(upload, new Uint8Array(10))
      statuses.push((await requestConfirm(sender, upload.cloudKey)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 409])
    const more = await requestDelivery(makeClient(app), request.code)
    await expectError(more, 409, 'REQUEST_FULL')
    await expect(sendDelivery(app, request.code, {}, contentsOf(1))).rejects.toThrow()
  })
})
