import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makePerson, putBytes, startUpload } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import {
  abort,
  askForUpload,
  confirm,
  expectRefusal,
} from '../../../tests/support/upload-requests.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

function text(length: number) {
  return new Uint8Array(length).fill(65)
}

describe('POST /api/files/abort-upload', () => {
  it('frees the place at once and removes the bytes', async () => {
    const person = await makePerson(app)
    const uploads = []
    for (let n = 0; n < 3; n += 1) uploads.push(await startUpload(person, { size: 1 }))
    const [first] = uploads
    if (!first) throw new Error('no upload')
    await putBytes(first, text(1))
    expect((await askForUpload(person)).status).toBe(403)

    expect((await abort(person, first.cloudKey)).status).toBe(200)
    expect(await app.storage.storedSize(first.cloudKey)).toBeNull()
    expect((await askForUpload(person)).status).toBe(200)

    expect((await abort(person, first.cloudKey)).status).toBe(404)
    expect((await confirm(person, first.cloudKey)).status).toBe(404)
    const late = await putBytes(first, text(1))
    expect(late.status).toBe(404)
    expect(await app.storage.storedSize(first.cloudKey)).toBeNull()
  })

  it('does not touch a file that was confirmed', async () => {
    const person = await makePerson(app)
    const started = await startUpload(person, { size: 1 })
    await putBytes(started, text(1))
    await confirm(person, started.cloudKey)
    expect((await abort(person, started.cloudKey)).status).toBe(404)
    expect(await app.storage.storedSize(started.cloudKey)).toBe(1)
  })

  it('leaves nothing to a confirm that has just found the upload', async () => {
    const person = await makePerson(app)
    const started = await startUpload(person, { size: 1 })
    await putBytes(started, text(1))
    const { seal } = app.storage
    const sealing = vi
      .spyOn(app.deps.stores.current, 'seal')
      .mockImplementationOnce(async (...args) => {
        expect((await abort(person, started.cloudKey)).status).toBe(200)
        return seal(...args)
      })
    await expectRefusal(await confirm(person, started.cloudKey), 409, 'UPLOAD_SUPERSEDED')
    expect(sealing).toHaveBeenCalledOnce()
    sealing.mockRestore()
  })
})
