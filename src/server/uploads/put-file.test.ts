import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeKey, withKey } from '../../../tests/support/keys.ts'
import { expectOk, json, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { describePutFile } from '../../../tests/support/put-file.suite.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { testSpace } from '../../../tests/support/test-space.ts'
import { mebibyte } from '../../shared/rules/format/units.ts'
import { uploads } from '../db/schema.ts'

describePutFile('the disk', async () => ({}))

const put = (app: TestApp, key: string, body: BodyInit) => {
  const init = { method: 'PUT', body, duplex: 'half' } as RequestInit
  return withKey(makeClient(app), key).fetch('/api/up/x', init)
}

describe('PUT /api/up', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.close())

  it('answers a pipe that is too large for the tier with the limit', async () => {
    const admin = await makePerson(app, { role: 'admin' })
    const setting = { key: 'free_max_file_size', value: '1MB' }
    await expectOk(await admin.post('/api/admin/settings', setting))
    const { key } = await makeKey(await makePerson(app))
    const bytes = randomBytes(mebibyte + 1)
    const answers = [await put(app, key, bytes), await put(app, key, new Blob([bytes]).stream())]
    const text = expect.stringMatching(/^The free tier takes files up to 1MB\..*\n$/)
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual([text, text])
    expect(answers.map(({ status }) => status)).toEqual([413, 413])
  })

  it('answers another method with a line of text', async () => {
    const answer = await makeClient(app).fetch('/api/up/x')
    expect([answer.status, await answer.text()]).toEqual([405, expect.stringMatching(/^\w.*\n$/)])
  })
})

describe('PUT /api/up on a full disk', () => {
  const space = testSpace()
  let app: TestApp
  let user: Person
  let key: string
  beforeAll(async () => {
    app = await startTestApp({ space })
    user = await makePerson(app)
    key = (await makeKey(user)).key
  })
  afterAll(() => app.close())

  it('refuses a file before it arrives', async () => {
    space.freeBytes = 1000
    const response = await put(app, key, randomBytes(1001))
    expect([response.status, await response.text()]).toEqual([507, expect.stringMatching(/.*\n$/)])
  })

  it('keeps nothing of a file for which the space runs out', async () => {
    space.freeBytes = 1024 * mebibyte
    const chunks = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(randomBytes(10)),
      pull(controller) {
        space.freeBytes = 0
        controller.enqueue(randomBytes(mebibyte))
        controller.close()
      },
    })
    const response = await put(app, key, chunks)
    expect(response.status).toBe(507)
    expect(await app.deps.db.$count(uploads)).toBe(0)
    expect(await json(await user.fetch('/api/files'))).toEqual([])
  })
})
