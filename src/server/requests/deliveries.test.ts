import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  listReceived,
  listRequests,
  makeRequest,
  requestDelivery,
  sendDelivery,
  startDelivery,
  withToken,
} from '../../../tests/support/file-requests.ts'
import {
  changeLink,
  contentsOf,
  fetchBytes,
  finishUploads,
  newFile,
} from '../../../tests/support/link-requests.ts'
import { json, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { expectError, requestConfirm } from '../../../tests/support/upload-requests.ts'
import type { PublicRequest } from '../../shared/contract/requests.ts'
import { dayInMs } from '../../shared/rules/format/units.ts'

let app: TestApp
let owner: Person
beforeAll(async () => {
  app = await startTestApp()
  owner = await makePerson(app, { tier: 'premium' })
})
afterAll(async () => {
  const failures = app.logLines.filter(({ level }) => level >= 50)
  await app.close()
  expect(failures).toEqual([])
})

const readDetails = (code: string) => makeClient(app).fetch(`/api/requests/${code}`)

describe('a delivery', () => {
  it('arrives as a private link of the owner, which the sender learns nothing of', async () => {
    const request = await makeRequest(owner)
    const delivery = await sendDelivery(app, request.code, {
      senderName: ' Grace Hopper ',
      message: 'As promised',
    })
    const [link] = await listReceived(owner, request)
    expect(link).toMatchObject({
      requestId: request.id,
      senderName: 'Grace Hopper',
      message: 'As promised',
      title: null,
      shared: false,
      state: 'ready',
      expiresAt: new Date(app.clock().getTime() + 3 * dayInMs).toISOString(),
    })
    expect(link?.files.map(({ name }) => name)).toEqual(['file-0.txt', 'file-1.txt'])
    const { uploads, uploadToken, files } = delivery
    const answers = JSON.stringify({ uploads, uploadToken, files })
    for (const secret of [link?.shortCode, link?.id && `"${link.id}"`, owner.email, owner.id])
      expect(answers).not.toContain(secret)
    expect(files[0]).toEqual({ originalName: 'file-0.txt', mimeType: 'text/plain', size: 100 })
    expect((await listRequests(owner)).find(({ id }) => id === request.id)?.receivedCount).toBe(1)
  })

  it('leaves nothing of its sender but the name', async () => {
    const { code } = await makeRequest(owner)
    await sendDelivery(app, code, { senderName: 'Barbara Liskov' })
    await startDelivery(makeClient(app), code)
    for (const table of ['requests', 'links', 'files', 'uploads', 'short_codes']) {
      const { rows } = await app.pool.query(`select t::text as text from ${table} t`)
      const text = JSON.stringify(rows)
      expect(text).not.toMatch(/127\.0\.0\.1|::1|undici/)
      expect(text.includes('Barbara')).toBe(table === 'links')
    }
  })

  it('can be shared once it has arrived, and gets no files from its sender afterwards', async () => {
    const request = await makeRequest(owner)
    const { uploads, uploadToken } = await startDelivery(makeClient(app), request.code)
    const sender = withToken(makeClient(app), uploadToken)
    const [{ shortCode = '' } = {}] = await listReceived(owner, request)
    const early = await changeLink(owner, shortCode, { shared: true })
    await expectError(early, 409, 'DELIVERY_UNFINISHED')
    await finishUploads(sender, uploads, contentsOf(10))
    expect((await changeLink(owner, shortCode, { shared: true })).status).toBe(200)

    // With the owner's upload, the link is uploading again.
    const added = await owner.post(`/api/links/${shortCode}/files`, { files: [newFile()] })
    expect(added.status).toBe(201)
    await startDelivery(sender, request.code, [newFile({ fileName: 'unseen.txt' })])
    const delivery = (await listReceived(owner, request)).find(({ files }) =>
      files.some(({ name }) => name === 'unseen.txt'),
    )
    expect(delivery?.shared).toBe(false)
  })

  it('is seen by its owner alone until it is shared, for good', async () => {
    const request = await makeRequest(owner)
    const { contents } = await sendDelivery(app, request.code, {}, contentsOf(50))
    const [link] = await listReceived(owner, request)
    const { shortCode = '', files = [] } = link ?? {}
    const stranger = await makePerson(app, { role: 'admin' })
    const calls = [
      `/api/links/${shortCode}`,
      `/api/download/${shortCode}`,
      `/api/download/${shortCode}/${files[0]?.id}`,
      `/s/${shortCode}`,
      `/download/${shortCode}`,
      `/s/${shortCode}/report`,
    ]
    const statuses = async (client: Pick<Person, 'fetch'>) => {
      const all = []
      for (const path of calls) all.push((await client.fetch(path)).status)
      return all
    }
    const unlock = (client: Pick<Person, 'post'>) =>
      client.post(`/api/links/${shortCode}/unlock`, { password: 'x' })
    const report = (client: Pick<Person, 'post'>) =>
      client.post(`/api/links/${shortCode}/report`, { reason: 'It is not what I asked for' })
    for (const client of [makeClient(app), stranger]) {
      expect(await statuses(client)).toEqual([404, 404, 404, 404, 404, 404])
      expect((await unlock(client)).status).toBe(404)
      expect((await report(client)).status).toBe(404)
    }
    expect(await statuses(owner)).toEqual([200, 200, 200, 200, 200, 200])
    expect((await report(owner)).status).toBe(200)
    expect((await listReceived(owner, request))[0]?.downloadCount).toBe(0)

    expect((await changeLink(owner, shortCode, { shared: false })).status).toBe(400)
    expect(await json(await changeLink(owner, shortCode, { shared: true }))).toMatchObject({
      shared: true,
      shortCode,
    })
    const { status, body } = await fetchBytes(app, shortCode)
    expect({ status, body }).toEqual({ status: 200, body: Buffer.from(contents[0] ?? []) })
    expect((await listReceived(owner, request))[0]?.downloadCount).toBe(1)
  })

  it('gets the default expiry of its owner', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    const request = await makeRequest(person)
    await person.fetch('/api/preferences', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ defaultExpirationDays: 7 }),
    })
    await sendDelivery(app, request.code)
    const [link] = await listReceived(person, request)
    const expiresAt = new Date(app.clock().getTime() + 7 * dayInMs).toISOString()
    expect(link?.expiresAt).toBe(expiresAt)
  })

  it('keeps to the size and number of files that the request takes', async () => {
    const request = await makeRequest(owner, { maxFileSize: 100 })
    const response = await requestDelivery(makeClient(app), request.code, [
      newFile({ fileSize: 100 }),
      newFile({ fileSize: 101 }),
    ])
    expect(await json(response)).toMatchObject({
      code: 'FILE_TOO_LARGE',
      errors: [{ index: 1, code: 'FILE_TOO_LARGE' }],
    })
    expect(await listReceived(owner, request)).toEqual([])
  })

  it('counts toward the limit of deliveries while it is on its way, and no more once deleted', async () => {
    const request = await makeRequest(owner, { maxLinks: 2 })
    const visitor = makeClient(app)
    const responses = await Promise.all(
      [1, 2, 3, 4].map(() => requestDelivery(visitor, request.code)),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409])
    expect(await json(await readDetails(request.code))).toMatchObject({ maxFiles: 0 })
    const [link] = await listReceived(owner, request)
    await owner.fetch(`/api/links/${link?.shortCode}`, { method: 'DELETE' })
    await startDelivery(visitor, request.code)
    await expectError(await requestDelivery(visitor, request.code), 409, 'REQUEST_FULL')
  })

  it('is started once, however often the start is repeated', async () => {
    const request = await makeRequest(owner, { maxLinks: 1 })
    const visitor = makeClient(app)
    const key = { idempotencyKey: randomUUID() }
    const first = await startDelivery(visitor, request.code, [newFile()], key)
    const second = await startDelivery(visitor, request.code, [newFile()], key)
    expect(second.uploadToken).toBe(first.uploadToken)
    expect(second.uploads[0]?.cloudKey).toBe(first.uploads[0]?.cloudKey)
    const otherRequest = await makeRequest(owner)
    const other = await startDelivery(visitor, otherRequest.code, [newFile()], key)
    expect(other.uploads[0]?.cloudKey).not.toBe(first.uploads[0]?.cloudKey)
  })

  it('takes further files while it is on its way', async () => {
    const request = await makeRequest(owner, { maxLinks: 1 })
    const { uploadToken } = await startDelivery(makeClient(app), request.code)
    const sender = withToken(makeClient(app), uploadToken)
    const added = await startDelivery(sender, request.code, [newFile({ fileName: 'more.txt' })])
    expect(added.uploadToken).toBe(uploadToken)
    const received = await listReceived(owner, request)
    expect(received.map(({ files }) => files.map(({ name }) => name))).toEqual([
      ['notes.txt', 'more.txt'],
    ])
  })

  it('is refused without saying why when the owner has no room left', async () => {
    const person = await makePerson(app)
    const request = await makeRequest(person)
    const visitor = makeClient(app)
    const files = [1, 2, 3].map(() => newFile())
    expect(await json<PublicRequest>(await readDetails(request.code))).toMatchObject({
      maxFiles: 3,
    })
    const tooMany = await requestDelivery(visitor, request.code, [...files, newFile()])
    expect(await json(tooMany)).toEqual({
      code: 'REQUEST_FULL',
      message: 'This request cannot take these files right now.',
      errors: [
        {
          index: 3,
          code: 'REQUEST_FULL',
          message: 'This request cannot take these files right now.',
        },
      ],
    })
    await startDelivery(visitor, request.code, files)
    expect(await json<PublicRequest>(await readDetails(request.code))).toMatchObject({
      maxFiles: 0,
    })
    const large = await requestDelivery(visitor, request.code, [newFile({ fileSize: 2 ** 40 })])
    await expectError(large, 413, 'FILE_TOO_LARGE')
  })

  it.each([
    { senderName: 'a\nb' },
    { senderName: 'left \u202e right' },
    { senderName: '\u0007' },
    { senderName: 'x'.repeat(101) },
    { files: [] },
    { message: '\0' },
  ])('is refused with %j', async (changes) => {
    const { code } = await makeRequest(owner)
    const response = await requestDelivery(makeClient(app), code, [newFile()], changes)
    await expectError(response, 400, 'INVALID_INPUT')
  })
})

describe('blocked content', () => {
  it('is refused from a sender', async () => {
    const administrator = await makePerson(app, { role: 'admin' })
    const request = await makeRequest(owner)
    const contents = contentsOf(1000)
    await sendDelivery(app, request.code, {}, contents)
    const [link] = await listReceived(owner, request)
    const body = { shortCode: link?.shortCode, reason: 'Malware' }
    expect((await administrator.post('/api/admin/takedown', body)).status).toBe(200)
    const file = newFile({ fileSize: 1000 })
    const { uploads, uploadToken } = await startDelivery(makeClient(app), request.code, [file])
    const headers = { 'content-type': 'text/plain' }
    await fetch(uploads[0]?.uploadUrl ?? '', { method: 'PUT', headers, body: contents[0] ?? null })
    const sender = withToken(makeClient(app), uploadToken)
    const response = await requestConfirm(sender, uploads[0]?.cloudKey ?? '')
    await expectError(response, 409, 'CONTENT_BLOCKED')
  })
})
