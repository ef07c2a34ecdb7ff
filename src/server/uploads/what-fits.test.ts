import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { json, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { type TestSpace, testSpace } from '../../../tests/support/test-space.ts'
import { askForUpload } from '../../../tests/support/upload-requests.ts'
import type { ErrorBody } from '../../shared/contract/errors.ts'
import { minuteInMs } from '../../shared/rules/format/units.ts'
import { settings, uploads } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { tellWhatFits } from './what-fits.ts'

const megabyte = 1024 ** 2

let space: TestSpace
let app: TestApp
let admin: Person
beforeAll(async () => {
  space = testSpace()
  app = await startTestApp({ space })
  admin = await makePerson(app, { role: 'admin' })
})
afterEach(async () => {
  space.left = Number.POSITIVE_INFINITY
  await app.deps.db.delete(uploads)
  await app.deps.db.delete(settings)
  app.deps.settings.forget()
  // No upload is promised room any more.
  app.clock.advance(16 * minuteInMs)
})
afterAll(() => app.close())

async function capAt(value: string) {
  const changed = await admin.post('/api/admin/settings', { key: 'storage_cap', value })
  expect(changed.status).toBe(200)
}

async function largestFile(person: Person): Promise<number | null> {
  const response = await person.fetch('/api/files/upload-room')
  expect(response.status).toBe(200)
  return (await json<{ largestFile: number | null }>(response)).largestFile
}

async function refusal(person: Person, fileSize: number): Promise<ErrorBody> {
  const response = await askForUpload(person, { fileSize })
  expect(response.status).toBe(507)
  return json(response)
}

describe('GET /api/files/upload-room', () => {
  it('is for users alone', async () => {
    expect((await makeClient(app).fetch('/api/files/upload-room')).status).toBe(401)
  })

  it('tells nothing of the disk while every file fits that the tier allows', async () => {
    const [free, premium] = [await makePerson(app), await makePerson(app, { tier: 'premium' })]
    expect([await largestFile(free), await largestFile(premium)]).toEqual([null, null])
    space.left = 600 * megabyte
    expect([await largestFile(free), await largestFile(premium)]).toEqual([null, 600 * megabyte])
    space.left = 500 * megabyte
    expect(await largestFile(free)).toBeNull()
  })

  it('is what the disk has above the floor, rounded down, less what others were promised', async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    space.left = 57.96 * megabyte
    expect(await largestFile(ada)).toBe(Math.floor(57.9 * megabyte))
    expect((await askForUpload(bob, { fileSize: 40 * megabyte })).status).toBe(200)
    expect(await largestFile(ada)).toBe(Math.floor(17.9 * megabyte))
    expect((await askForUpload(ada, { fileSize: Math.floor(17.9 * megabyte) })).status).toBe(200)
    space.left = -megabyte
    expect(await largestFile(ada)).toBe(0)
  })

  it('is what the cap leaves where that is less; idle uploads make way', async () => {
    const [ada, bob] = [await makePerson(app), await makePerson(app)]
    await capAt('10MB')
    expect(await largestFile(ada)).toBe(10 * megabyte)
    expect((await askForUpload(bob, { fileSize: 4 * megabyte })).status).toBe(200)
    expect(await largestFile(ada)).toBe(6 * megabyte)
    space.left = 5 * megabyte
    expect(await largestFile(ada)).toBe(megabyte)
    space.left = Number.POSITIVE_INFINITY
    app.clock.advance(16 * minuteInMs)
    expect(await largestFile(ada)).toBe(10 * megabyte)
    expect((await askForUpload(ada, { fileSize: 10 * megabyte })).status).toBe(200)
    expect(await largestFile(bob)).toBe(0)
  })
})

describe('a start that is refused for want of space', () => {
  const makeRoom = 'Its operator has to make room. Please try again later.'

  it('says which files fit on the disk, and that none does where there is no space', async () => {
    const person = await makePerson(app)
    space.left = 44.38 * megabyte
    expect(await refusal(person, 57 * megabyte)).toEqual({
      code: 'STORAGE_FULL',
      message: `This server has too little free space for this file. Files up to 44.3 MB fit now. ${makeRoom}`,
    })
    space.left = -1
    expect(await refusal(person, 24)).toEqual({
      code: 'STORAGE_FULL',
      message: `This server has no free space left for uploads. ${makeRoom}`,
    })
  })

  it('says which files fit under the cap, without the refused one', async () => {
    const person = await makePerson(app)
    await capAt('2MB')
    expect(await refusal(person, 2 * megabyte + 1)).toEqual({
      code: 'STORAGE_CAP_REACHED',
      message: `This file is more than the administrator of this server still lets it store. Files up to 2 MB fit now. ${makeRoom}`,
    })
    expect((await askForUpload(person, { fileSize: 2 * megabyte })).status).toBe(200)
    expect((await refusal(person, 1)).message).toBe(
      `This server stores as much as its administrator allows. ${makeRoom}`,
    )
  })

  it('says it of each entry of a batch, beside those that fit', async () => {
    const person = await makePerson(app, { tier: 'premium' })
    space.left = 3 * megabyte
    const entry = { fileName: 'a.txt', fileType: 'text/plain', expirationDays: '3' }
    const files = [2, 4, 2].map((size) => ({ ...entry, fileSize: size * megabyte }))
    const response = await person.post('/api/files/get-upload-urls', { files })
    const { results } = await json<{ results: unknown[] }>(response)
    const refused = { error: { message: expect.stringContaining('Files up to 1 MB fit now.') } }
    expect(results).toMatchObject([{ answer: {} }, refused, refused])
  })

  it('names no size where a file of this size would fit, and something else is full', async () => {
    space.left = megabyte
    const reason = new AppError('STORAGE_FULL')
    const refused = { status: 'rejected', reason } as const
    expect(await tellWhatFits(app.deps, [{ fileSize: 10 }], [refused])).toEqual([refused])
  })

  it('names the smaller of both', async () => {
    const person = await makePerson(app)
    await capAt('4MB')
    space.left = 2 * megabyte
    expect((await refusal(person, 3 * megabyte)).message).toContain('Files up to 2 MB fit now.')
    expect((await refusal(person, 5 * megabyte)).message).toContain('Files up to 2 MB fit now.')
  })
})
