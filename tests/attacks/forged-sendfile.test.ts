import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { File } from '../../src/shared/contract/files.ts'
import { json, makeClient, makeFile, makePerson, type Person } from '../support/make.ts'
import { send } from '../support/send.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/*
 * The attack: forge the headers with which nginx announces that it can send files itself, or
 * request nginx's internal location.
 */

const forgedHeaders = {
  'x-sendfile-type': 'X-Accel-Redirect',
  'x-accel-redirect': '/sealed/',
  'x-accel-mapping': '/=/sealed/',
}

let app: TestApp
let owner: Person
let file: File & { bytes: Uint8Array }

async function prepareFile(env: Record<string, string>) {
  app = await startTestApp({ env })
  owner = await makePerson(app)
  file = await makeFile(owner)
}

function sendForged(path: string, method = 'GET') {
  return send(app.url, { path, method, headers: forgedHeaders })
}

async function countDownloads() {
  const [listed] = await json<File[]>(await owner.fetch('/api/files'))
  return listed?.downloadCount
}

describe('forged sendfile headers without nginx', () => {
  beforeAll(() => prepareFile({ TRUST_PROXY: 'on' }))
  afterAll(() => app.close())

  it.each(['/s/CODE', '/api/download/CODE'])("don't affect %s", async (path) => {
    const { status, headers, body } = await sendForged(path.replace('CODE', file.shortCode))
    expect(status).toBe(200)
    expect(headers).not.toHaveProperty('x-accel-redirect')
    expect(body.equals(file.bytes)).toBe(true)
  })
})

describe('forged sendfile headers behind nginx', () => {
  beforeAll(() => prepareFile({ TRUST_PROXY: 'on', X_ACCEL_REDIRECT: '/sealed' }))
  afterAll(() => app.close())

  it('return no bytes and no usable path', async () => {
    const { status, headers, body } = await sendForged(`/s/${file.shortCode}`)
    expect([status, body.length]).toEqual([200, 0])
    const internalPath = String(headers['x-accel-redirect'])
    expect(internalPath).toMatch(/^\/sealed\/\w{2}\/\w{26}$/)
    const [, , folder = '', key = ''] = internalPath.split('/')
    for (const path of [
      internalPath,
      `/${internalPath}`,
      `/s/..${internalPath}`,
      `/storage/${key}`,
      `/files/${folder}/${key}`,
    ]) {
      const response = await sendForged(path)
      expect([403, 404], path).toContain(response.status)
      expect(response.headers, path).not.toHaveProperty('x-accel-redirect')
      expect(response.body.includes(Buffer.from(file.bytes)), path).toBe(false)
    }
  })

  it("don't affect other clients", async () => {
    await sendForged(`/s/${file.shortCode}`)
    const downloadCountBefore = await countDownloads()
    const response = await makeClient(app).fetch(`/s/${file.shortCode}`)
    expect(response.headers.get('x-accel-redirect')).toBeNull()
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(file.bytes)
    expect(await countDownloads()).toBe((downloadCountBefore ?? 0) + 1)
  })

  it("don't open an expired link or reveal its path", async () => {
    const deletedFile = await makeFile(owner)
    expect((await owner.fetch(`/api/files/${deletedFile.id}`, { method: 'DELETE' })).status).toBe(
      200,
    )
    for (const code of [deletedFile.shortCode, 'nothing']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await sendForged(`/s/${code}`, method)
        expect(status).toBe(404)
        expect(headers).not.toHaveProperty('x-accel-redirect')
      }
    }
  })
})
