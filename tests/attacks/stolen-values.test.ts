import { createHmac, randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, files, sessions } from '../../src/server/db/schema.ts'
import { shortCodeAlphabet, shortCodeLength } from '../../src/shared/rules/links/short-code.ts'
import { json, makeClient, makeFile, makePerson, putBytes, startUpload } from '../support/make.ts'
import { send } from '../support/send.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { requestConfirm } from '../support/upload-requests.ts'

/* The attack: use values that were guessed, or read from the database, a log or an old page. */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('a reader of the database', () => {
  it("can't use its session tokens without the secret", async () => {
    const person = await makePerson(app)
    const [session] = await app.deps.db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, person.id))
    const token = session?.token ?? ''
    expect(token.length).toBeGreaterThanOrEqual(32)
    const signWith = (secret: string) =>
      encodeURIComponent(`${token}.${createHmac('sha256', secret).update(token).digest('base64')}`)
    for (const value of [
      token,
      `${token}.`,
      signWith(''),
      signWith(token),
      signWith('another secret'),
    ]) {
      const cookie = `mayfly.session_token=${value}`
      expect((await makeClient(app, cookie).fetch('/api/auth/user')).status).toBe(401)
    }
    // Control: signed with the server's own secret, this cookie does open a session.
    const cookie = `mayfly.session_token=${signWith(app.deps.secret)}`
    expect((await makeClient(app, cookie).fetch('/api/auth/user')).status).toBe(200)
  })

  it('finds only individually salted password hashes', async () => {
    const [firstUser, secondUser] = [await makePerson(app), await makePerson(app)]
    expect(firstUser.password).toBe(secondUser.password)
    const storedHashes = await Promise.all(
      [firstUser, secondUser].map(async ({ id }) => {
        const [account] = await app.deps.db.select().from(accounts).where(eq(accounts.userId, id))
        return account?.password ?? ''
      }),
    )
    for (const hash of storedHashes) expect(hash).toMatch(/^[\da-f]{32}:[\da-f]{128}$/)
    expect(storedHashes[0]).not.toBe(storedHashes[1])
  })

  it('gets no bytes with a storage key', async () => {
    const { id } = await makeFile(await makePerson(app))
    const [row] = await app.deps.db.select().from(files).where(eq(files.id, id))
    for (const query of ['', '?operation=get', '?operation=get&signature=x']) {
      const response = await makeClient(app).fetch(`/storage/${row?.storageKey}${query}`)
      expect(response.status).toBe(403)
    }
  })
})

describe('a saved presigned URL', () => {
  it("can't change the file, and stops working once the file is deleted", async () => {
    const owner = await makePerson(app)
    const bytes = new Uint8Array(randomBytes(100))
    const upload = await startUpload(owner, { size: 100 })
    await putBytes(upload, bytes)
    const { id, shortCode } = await json<{ id: string; shortCode: string }>(
      await requestConfirm(owner, upload.cloudKey),
    )
    const secondResponse = await putBytes(upload, new Uint8Array(100))
    expect(secondResponse.status).toBe(409)
    const response = await makeClient(app).fetch(`/api/download/${shortCode}`)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)

    await owner.fetch(`/api/files/${id}`, { method: 'DELETE' })
    expect((await putBytes(upload, bytes)).status).toBe(404)
    expect((await requestConfirm(owner, upload.cloudKey)).status).toBe(404)
    expect((await makeClient(app).fetch(`/api/download/${shortCode}`)).status).toBe(404)
    expect(await app.disk.storedSize(upload.cloudKey)).toBeNull()
  })

  it('is valid only for its operation, key, size, type and time', async () => {
    const owner = await makePerson(app)
    const [upload, otherUpload] = [
      await startUpload(owner, { size: 10 }),
      await startUpload(owner, { size: 10 }),
    ]
    const { uploadUrl, cloudKey } = upload
    expect((await fetch(uploadUrl)).status).toBe(403)
    const alteredUrls = [
      uploadUrl.replace(cloudKey, otherUpload.cloudKey),
      uploadUrl.replace('size=10', 'size=1000'),
      uploadUrl.replace('operation=put', 'operation=get'),
      uploadUrl.replace(/until=\d+/, 'until=99999999999999'),
      uploadUrl.replace('type=text%2Fplain', 'type=text%2Fhtml'),
      `${uploadUrl}&size=1000`,
    ]
    for (const url of alteredUrls) {
      expect(url).not.toBe(uploadUrl)
      const response = await putBytes({ ...upload, uploadUrl: url }, new Uint8Array(10))
      expect(response.status).toBe(403)
    }
    expect(await app.disk.storedSize(otherUpload.cloudKey)).toBeNull()
  })
})

describe('a link in an email', () => {
  it('has the public address, whatever host was requested', async () => {
    const { email } = await makePerson(app)
    const { port } = app.deps.config
    const response = await send(`${app.url}/api/auth/forgot-password`, {
      method: 'POST',
      headers: { host: `192.0.2.66:${port}`, 'x-forwarded-host': 'evil.example' },
      body: JSON.stringify({ email }),
    })
    expect(response.status).toBe(200)
    const [resetEmail] = await app.sendQueuedEmails()
    const links = [...(resetEmail?.content.text.matchAll(/https?:\/\/\S+/g) ?? [])].map(
      ([url]) => url,
    )
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) expect(new URL(link).origin).toBe(app.url)
  })
})

describe('guessing', () => {
  it('a link takes about 80 million guesses if there are a billion links', () => {
    const codeCount = new Set(shortCodeAlphabet).size ** shortCodeLength
    expect(new Set(shortCodeAlphabet).size).toBe(shortCodeAlphabet.length)
    expect(codeCount / 1e9).toBeGreaterThan(79e6)
    expect(Math.log2(codeCount)).toBeGreaterThan(56)
  })

  it('a link is no easier for those who have seen others', async () => {
    const owner = await makePerson(app, { tier: 'premium' })
    const codes: string[] = []
    for (let attempt = 0; attempt < 20; attempt += 1) codes.push((await makeFile(owner)).shortCode)
    expect(new Set(codes).size).toBe(20)
    // The chance that all 20 codes have the same character at any position is about 1 in 49^18.
    for (let position = 0; position < shortCodeLength; position += 1) {
      expect(new Set(codes.map((code) => code[position])).size).toBeGreaterThan(1)
    }
  })
})
