import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  contentsOf,
  deleteLink,
  fetchBytes,
  findListed,
  finishUploads,
  makeLink,
  readStarted,
  requestMoreFiles,
  startLink,
} from '../../../tests/support/link-requests.ts'
import { json, makePerson, type Person, putBytes } from '../../../tests/support/make.ts'
import {
  closeWithoutErrors,
  listReports,
  reportLink,
  startTakedownSetup,
  type TakedownSetup,
  takeDown,
  takeDownOrThrow,
  uploadAndConfirm,
} from '../../../tests/support/takedowns.ts'
import { expectError, requestConfirm } from '../../../tests/support/upload-requests.ts'
import type { Link } from '../../shared/contract/links.ts'
import { expireFiles } from '../files/expire-files.ts'
import { retryRemovals } from '../uploads/end-uploads.ts'

let setup: TakedownSetup
beforeAll(async () => {
  setup = await startTakedownSetup()
})
afterAll(() => closeWithoutErrors(setup.app))

/** Returns which of these contents can't be uploaded any more. */
async function findBlockedContents(contents: readonly Uint8Array<ArrayBuffer>[]) {
  const person = await makePerson(setup.app, { tier: 'premium' })
  return Promise.all(
    contents.map(async (bytes) => (await uploadAndConfirm(person, bytes)).response.status === 409),
  )
}

async function listTakenDown(owner: Person, code: string) {
  const { files } = (await findListed(owner, code)) as Link
  return files.map(({ takenDownAt }) => takenDownAt !== null)
}

describe('a takedown of a link with several files', () => {
  it('takes down all of them, blocks each content and tells the owner once', async () => {
    const { app, admin, owner, visitor } = setup
    const { code, contents, files } = await makeLink(owner, {}, contentsOf(100, 200, 300))
    await app.sendQueuedEmails()
    expect((await reportLink(visitor, code)).status).toBe(200)
    expect((await reportLink(visitor, code)).status).toBe(200)
    expect(await listReports(admin)).toMatchObject([{ count: 2, shortCode: code }])
    expect(await takeDownOrThrow(admin, code)).toBe(
      'The files were taken down. Their content is blocked.',
    )
    expect(await listReports(admin)).toEqual([])
    expect(await listTakenDown(owner, code)).toEqual([true, true, true])
    for (const path of [code, ...files.map(({ id }) => `${code}/${id}`)])
      expect((await fetchBytes(app, path)).status).toBe(404)
    expect(await findBlockedContents(contents)).toEqual([true, true, true])
    const emails = await app.sendQueuedEmails()
    expect(emails.filter(({ to }) => JSON.stringify(to).includes(owner.email))).toHaveLength(1)
    expect(await takeDownOrThrow(admin, code)).toBe(
      'The files had been taken down before. Their content is blocked.',
    )
  })

  it('with one of its files leaves the others', async () => {
    const { app, admin, owner } = setup
    const { code, contents, files } = await makeLink(owner, {}, contentsOf(100, 200, 300))
    const before = await fetchBytes(app, code, {}, 'HEAD')
    const fileId = files[0]?.id
    const response = await admin.post('/api/admin/takedown', {
      shortCode: code,
      fileId,
      reason: 'x',
    })
    expect(await json(response)).toEqual({
      message: 'The file was taken down. Its content is blocked.',
    })
    expect(await listTakenDown(owner, code)).toEqual([true, false, false])
    const after = await fetchBytes(app, code)
    expect(after.status).toBe(200)
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect((await fetchBytes(app, `${code}/${files[1]?.id}`)).status).toBe(200)
    expect(await findBlockedContents(contents)).toEqual([true, false, false])
    expect((await reportLink(setup.visitor, code)).status).toBe(200)
    await takeDownOrThrow(admin, code)
    expect(await listReports(admin)).toEqual([])
  })

  it.each([
    ['a file of another link', 'other'],
    ['an unknown file', '00000000-0000-4000-8000-000000000000'],
  ])('finds nothing for %s', async (_, id) => {
    const { app, admin, owner } = setup
    const [link, other] = [await makeLink(owner), await makeLink(owner)]
    const fileId = id === 'other' ? other.files[0]?.id : id
    const body = { shortCode: link.code, fileId, reason: 'x' }
    await expectError(await admin.post('/api/admin/takedown', body), 404, 'LINK_NOT_FOUND')
    for (const { code } of [link, other]) expect((await fetchBytes(app, code)).status).toBe(200)
    const wrongType = { shortCode: link.code, fileId: 'x', reason: 'x' }
    await expectError(await admin.post('/api/admin/takedown', wrongType), 400, 'INVALID_INPUT')
  })

  it('ends uploads on their way to it, and nothing can be added afterwards', async () => {
    const { app, admin, owner } = setup
    const contents = contentsOf(100, 200)
    const { link, uploads } = await startLink(owner, contents)
    await finishUploads(owner, uploads.slice(0, 1), contents)
    const [, second] = uploads
    if (second) await putBytes(second, contents[1] as Uint8Array<ArrayBuffer>)
    await takeDownOrThrow(admin, link.shortCode)
    await expectError(await requestConfirm(owner, second?.cloudKey ?? ''), 404, 'UPLOAD_NOT_FOUND')
    await expectError(await requestMoreFiles(owner, link.shortCode), 404, 'LINK_NOT_FOUND')
    expect((await fetchBytes(app, link.shortCode)).status).toBe(404)
    await retryRemovals(app.deps)
    await expireFiles(app.deps)
    expect(await app.storage.storedSize(second?.cloudKey ?? '')).toBeNull()
  })

  it('also blocks the reported file after its owner has deleted it', async () => {
    const { app, admin, owner, visitor } = setup
    const { code, contents, files } = await makeLink(owner)
    await reportLink(visitor, code)
    await owner.fetch(`/api/files/${files[0]?.id}`, { method: 'DELETE' })
    expect(await takeDownOrThrow(admin, code)).toBe(
      'The files were taken down. Their content is blocked.',
    )
    expect(await listReports(admin)).toEqual([])
    expect(await findBlockedContents(contents)).toEqual([true, true])
    expect((await fetchBytes(app, code)).status).toBe(404)
  })

  it('under the code of a report finds the renewed link', async () => {
    const { app, admin, owner, visitor } = setup
    const { code } = await makeLink(owner)
    await reportLink(visitor, code)
    const renewal = await owner.fetch(`/api/links/${code}/renew`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ expirationDays: 3 }),
    })
    const { shortCode } = await json<Link>(renewal)
    await takeDownOrThrow(admin, code)
    expect((await fetchBytes(app, shortCode)).status).toBe(404)
    expect(await listTakenDown(owner, shortCode)).toEqual([true, true])
  })

  it('leaves other links of the owner, but not copies in them', async () => {
    const { app, admin, owner } = setup
    const [first, second] = contentsOf(100, 200)
    const link = await makeLink(owner, {}, [first, second] as Uint8Array<ArrayBuffer>[])
    const copy = await makeLink(owner, {}, [first, ...contentsOf(300)] as Uint8Array<ArrayBuffer>[])
    expect(await takeDownOrThrow(admin, link.code)).toBe(
      'The files were taken down. Their content is blocked, and 1 other file with it were taken down.',
    )
    expect(await listTakenDown(owner, copy.code)).toEqual([true, false])
    expect((await fetchBytes(app, copy.code)).status).toBe(200)
    expect((await deleteLink(owner, link.code)).status).toBe(200)
  })

  it('finds no link whose files are all still being uploaded', async () => {
    const { link } = await startLink(setup.owner, contentsOf(10))
    await expectError(await takeDown(setup.admin, link.shortCode), 404, 'LINK_NOT_FOUND')
    await readStarted(await requestMoreFiles(setup.owner, link.shortCode))
  })
})
