import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  json,
  logIn,
  makeClient,
  makeFile,
  makePerson,
  type Person,
} from '../../../tests/support/make.ts'
import { startSmtpServer } from '../../../tests/support/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import type { User } from '../../shared/contract/account.ts'
import type { AuditEntry, ListedUser } from '../../shared/contract/admin.ts'
import { ensureAdministrator } from '../auth/administrator.ts'
import { auditLog, files, users } from '../db/schema.ts'

const day = 24 * 60 * 60_000

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
afterAll(() => app.close())

async function searchUsers(search?: string): Promise<ListedUser[]> {
  const query = search === undefined ? '' : `?search=${encodeURIComponent(search)}`
  const response = await admin.fetch(`/api/admin/users${query}`)
  expect(response.status).toBe(200)
  return json(response)
}

async function makePersonNamed(email: string, name: string): Promise<Person> {
  const person = await makePerson(app)
  await app.deps.db.update(users).set({ email, name }).where(eq(users.id, person.id))
  return { ...person, email }
}

function toggleTier(id: string, body?: unknown) {
  return admin.post(`/api/admin/toggle-user-tier/${id}`, body)
}

async function fetchAuditLines(query = ''): Promise<AuditEntry[]> {
  return json(await admin.fetch(`/api/admin/audit${query}`))
}

describe('GET /api/admin/stats', () => {
  it('counts users, current premium users, files and downloads', async () => {
    const fetchStats = async () =>
      json<Record<string, number>>(await admin.fetch('/api/admin/stats'))
    const statsBefore = await fetchStats()
    const owner = await makePerson(app, { tier: 'premium' })
    await makePerson(app, {
      tier: 'premium',
      premiumTrialEndsAt: new Date(app.clock().getTime() - 1),
    })
    const file = await makeFile(owner)
    await makeFile(owner)
    await app.deps.db.update(files).set({ downloadCount: 7 }).where(eq(files.id, file.id))
    app.clock.advance(60_000)
    expect(await fetchStats()).toEqual({
      totalUsers: (statsBefore.totalUsers ?? 0) + 2,
      premiumUsers: (statsBefore.premiumUsers ?? 0) + 1,
      totalFiles: (statsBefore.totalFiles ?? 0) + 2,
      totalDownloads: (statsBefore.totalDownloads ?? 0) + 7,
    })
  })
})

describe('GET /api/admin/users', () => {
  it('lists the 5 newest users by default', async () => {
    const personIds: string[] = []
    for (let index = 0; index < 6; index += 1) {
      app.clock.advance(1)
      personIds.unshift((await makePerson(app)).id)
    }
    expect((await searchUsers()).map(({ id }) => id)).toEqual(personIds.slice(0, 5))
    expect((await searchUsers(' ')).map(({ id }) => id)).toEqual(personIds.slice(0, 5))
  })

  it('matches parts of email addresses and names, ignoring case and treating wildcards literally', async () => {
    const grace = await makePersonNamed('grace.hopper@navy.example', 'Grace Brewster Hopper')
    const percentUser = await makePersonNamed('100%_sure@navy.example', 'Ünï Çödé')
    const findIds = async (search: string) => (await searchUsers(search)).map(({ id }) => id)
    for (const search of ['HOPPER@navy', 'brewster', 'ce.ho', 'Grace B'])
      expect(await findIds(search)).toEqual([grace.id])
    for (const search of ['%_S', 'ÇÖD', '100%'])
      expect(await findIds(search)).toEqual([percentUser.id])
    expect(await findIds('navy')).toHaveLength(2)
    for (const search of ['h%per', '_race', '\\', "' or true --"])
      expect(await findIds(search)).toEqual([])
  })

  it("shows each user's files, downloads, sessions and current tier", async () => {
    const owner = await makePerson(app, {
      tier: 'premium',
      premiumTrialEndsAt: new Date(app.clock().getTime() + day),
    })
    const firstFile = await makeFile(owner)
    const secondFile = await makeFile(owner)
    for (const [id, downloadCount] of [
      [firstFile.id, 3],
      [secondFile.id, 4],
    ] as const)
      await app.deps.db.update(files).set({ downloadCount }).where(eq(files.id, id))
    expect(await searchUsers(owner.email)).toMatchObject([
      {
        id: owner.id,
        tier: 'premium',
        fileCount: 2,
        storedBytes: firstFile.size + secondFile.size,
        totalDownloads: 7,
        sessionCount: 1,
        isAdmin: false,
      },
    ])
    await owner.fetch(`/api/files/${firstFile.id}`, { method: 'DELETE' })
    const purgedAt = app.clock()
    expect(await searchUsers(owner.email)).toMatchObject([
      { fileCount: 1, storedBytes: secondFile.size },
    ])
    await app.deps.db.update(files).set({ purgedAt }).where(eq(files.id, secondFile.id))
    expect(await searchUsers(owner.email)).toMatchObject([{ fileCount: 1, storedBytes: 0 }])
    app.clock.advance(day)
    const newAdmin = await makePerson(app, { role: 'admin' })
    const response = await newAdmin.fetch(`/api/admin/users?search=${owner.email}`)
    expect(await json(response)).toMatchObject([{ tier: 'free', fileCount: 1, totalDownloads: 4 }])
    const countSessions = async () => (await searchUsers(owner.email))[0]?.sessionCount
    await logIn(app, owner.email, owner.password)
    expect(await countSessions()).toBe(2)
    await app.pool.query(`update sessions set expires_at = $1 where user_id = $2`, [
      app.clock(),
      owner.id,
    ])
    expect(await countSessions()).toBe(0)
  })

  it('exposes no secrets of users', async () => {
    const [user] = await searchUsers(admin.email)
    expect(Object.keys(user ?? {}).sort()).toEqual(
      [
        'createdAt',
        'email',
        'emailVerified',
        'fileCount',
        'firstName',
        'id',
        'isAdmin',
        'lastName',
        'name',
        'premiumTrialEndsAt',
        'premiumTrialStartedAt',
        'profileImageUrl',
        'sessionCount',
        'storedBytes',
        'tier',
        'totalDownloads',
      ].sort(),
    )
  })

  it('returns at most the 50 newest matches', async () => {
    const rows = Array.from({ length: 2000 }, (_, index) => ({
      id: `many-${index}`,
      name: `Person ${index}`,
      email: `person-${index}@many.example`,
      createdAt: new Date(app.clock().getTime() - index),
      updatedAt: app.clock(),
    }))
    await app.deps.db.insert(users).values(rows)
    const matchingUsers = await searchUsers('many.example')
    expect(matchingUsers.map(({ id }) => id)).toEqual(rows.slice(0, 50).map(({ id }) => id))
  })

  it.each(['x'.repeat(255), '\0'])('rejects the search %j', async (search) => {
    const query = encodeURIComponent(search)
    expect((await admin.fetch(`/api/admin/users?search=${query}`)).status).toBe(400)
  })
})

describe('POST /api/admin/toggle-user-tier/{id}', () => {
  it("toggles a user's tier or sets the given one, and records the actor", async () => {
    const user = await makePerson(app)
    const tiers: string[] = []
    for (const body of [undefined, undefined, { tier: 'premium' }, { tier: 'premium' }]) {
      const response = await toggleTier(user.id, body)
      expect(response.status).toBe(200)
      tiers.push((await json<{ user: User }>(response)).user.tier)
    }
    expect(tiers).toEqual(['premium', 'free', 'premium', 'premium'])
    const lines = await fetchAuditLines(`?search=${user.email}&action=set-tier`)
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatchObject({
      actor: admin.email,
      subject: user.email,
      ipAddress: '127.0.0.1',
      details: { reason: 'administrator', to: { tier: 'premium' } },
    })
  })

  it.each(['nobody', '%00', 'x'.repeat(65), "'"])('rejects the unknown user id %j', async (id) => {
    const entryCountBefore = (await fetchAuditLines()).length
    expect([400, 404]).toContain((await toggleTier(id)).status)
    expect((await fetchAuditLines()).length).toBe(entryCountBefore)
  })

  it.each([{ tier: 'gold' }, { teir: 'free' }, []])('rejects %j', async (body) => {
    expect((await toggleTier(admin.id, body)).status).toBe(400)
  })
})

describe('POST /api/admin/users', () => {
  const form = { firstName: 'Grace', lastName: 'Hopper', password: 'correct horse' }
  const createUser = (email: string, changes: object = {}) =>
    admin.post('/api/admin/users', { ...form, email, ...changes })

  it('creates an account that can sign in although signup is closed', async () => {
    const closedApp = await startTestApp({
      env: { SIGNUP: 'closed', REQUIRE_EMAIL_VERIFICATION: 'on' },
    })
    try {
      const { email, password } = { email: 'Grace@Example.org', password: form.password }
      await ensureAdministrator(closedApp.deps, async () => password)
      const administrator = makeClient(
        closedApp,
        await logIn(closedApp, closedApp.deps.config.adminEmail, password),
      )
      const response = await administrator.post('/api/admin/users', { ...form, email })
      expect(response.status).toBe(200)
      const grace = { email: 'grace@example.org', name: 'Grace Hopper', emailVerified: true }
      expect(await json(response)).toMatchObject({ ...grace, tier: 'free', isAdmin: false })
      await logIn(closedApp, grace.email, password)
      const line = await json<AuditEntry[]>(
        await administrator.fetch('/api/admin/audit?action=make-user'),
      )
      expect(line).toMatchObject([{ subject: grace.email }])
    } finally {
      await closedApp.close()
    }
  })

  it('creates one account per email address, even with concurrent requests', async () => {
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => createUser('parallel@example.org')),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    expect((await createUser('PARALLEL@example.org')).status).toBe(409)
    expect((await createUser(app.deps.config.adminEmail)).status).toBe(409)
  })

  it.each([
    { email: 'grace' },
    { email: '' },
    { firstName: ' ' },
    { lastName: 'x'.repeat(101) },
    { firstName: 'a\nb' },
    { password: '12345' },
    { password: 'x'.repeat(129) },
    { password: undefined },
  ])('rejects %j', async (changes) => {
    expect((await createUser('fine@example.org', changes)).status).toBe(400)
    expect(await searchUsers('fine@example.org')).toEqual([])
  })
})

describe('POST /api/test-email', () => {
  const sendTestEmail = async (person: Person) => {
    const response = await person.post('/api/test-email')
    expect(response.status).toBe(200)
    return json<{ success: boolean; message: string }>(response)
  }

  it('writes the email to the outbox if no mail server is configured', async () => {
    await app.sendQueuedEmails()
    expect(await sendTestEmail(admin)).toEqual({
      success: true,
      message: 'No mail server is set (SMTP_URL), so the email was written to the folder outbox.',
    })
    expect(await app.sendQueuedEmails()).toMatchObject([
      { to: { address: admin.email }, content: { subject: 'Mail from Mayfly works' } },
    ])
  })

  it('sends through the mail server and reports a rejection', async () => {
    const server = await startSmtpServer()
    const mailApp = await startTestApp({
      env: { SMTP_URL: server.url, REQUIRE_EMAIL_VERIFICATION: 'off' },
    })
    try {
      const administrator = await makePerson(mailApp, { role: 'admin' })
      expect(await sendTestEmail(administrator)).toEqual({
        success: true,
        message: `The mail server accepted the email to ${administrator.email}.`,
      })
      expect(server.received).toMatchObject([{ subject: 'Mail from Mayfly works' }])

      server.setReaction({ recipient: 550 })
      const result = await sendTestEmail(administrator)
      expect(result.success).toBe(false)
      expect(result.message).toMatch(/^The mail server rejected the email: .*550/)

      await server.close()
      expect((await sendTestEmail(administrator)).success).toBe(false)
      const auditResponse = await administrator.fetch('/api/admin/audit?action=test-mail')
      expect((await json<AuditEntry[]>(auditResponse)).map(({ details }) => details)).toEqual([
        { success: false, toOutbox: false },
        { success: false, toOutbox: false },
        { success: true, toOutbox: false },
      ])
    } finally {
      await mailApp.close()
      await server.close()
    }
  })
})

describe('GET /api/admin/audit', () => {
  it('pages through every entry once, newest first', async () => {
    const { id } = await makePerson(app)
    for (let index = 0; index < 5; index += 1) await toggleTier(id)
    const ids: number[] = []
    let nextCursor: string | null = ''
    while (nextCursor !== null) {
      const cursor: string = nextCursor === '' ? '' : `&cursor=${nextCursor}`
      const pageResponse = await admin.fetch(`/api/admin/audit?limit=2${cursor}`)
      ids.push(...(await json<AuditEntry[]>(pageResponse)).map((line) => line.id))
      nextCursor = pageResponse.headers.get('x-next-cursor')
    }
    const allEntries = await app.deps.db.select({ id: auditLog.id }).from(auditLog)
    expect(ids).toEqual(allEntries.map((line) => line.id).sort((a, b) => b - a))
  })

  it('finds actions by a user, on a user and by the server', async () => {
    const user = await makePerson(app)
    await toggleTier(user.id)
    await user.post('/api/auth/toggle-premium')
    await app.deps.db.insert(auditLog).values({
      at: app.clock(),
      action: 'set-tier',
      subject: user.id,
      details: {},
    })
    const lines = await fetchAuditLines(`?search=${user.email.toUpperCase()}`)
    expect(lines.map(({ actor }) => actor)).toEqual([null, user.email, admin.email])
    expect(await fetchAuditLines('?search=nobody@example.org')).toEqual([])
  })

  it('shows the id of a deleted user', async () => {
    const user = await makePerson(app)
    await toggleTier(user.id)
    await app.deps.db.delete(users).where(eq(users.id, user.id))
    expect((await fetchAuditLines('?limit=1'))[0]).toMatchObject({
      actor: admin.email,
      subject: user.id,
    })
  })

  it.each([
    '?limit=0',
    '?limit=101',
    '?cursor=x',
    '?cursor=WyJ4Il0',
    '?cursor=WzVd',
    '?action=fly',
    '?search=%00',
    `?search=${'x'.repeat(501)}`,
    '?from=x',
    '?to=2026-11-22',
    '?from=0000-01-01T00:00:00Z',
  ])('rejects %s', async (query) => {
    expect((await admin.fetch(`/api/admin/audit${query}`)).status).toBe(400)
  })
})

it.each([
  ['GET', '/api/admin/stats'],
  ['GET', '/api/admin/users'],
  ['POST', '/api/admin/users'],
  ['POST', '/api/test-email'],
  ['POST', '/api/admin/toggle-user-tier/x'],
  ['GET', '/api/admin/audit'],
  ['GET', '/api/admin/maintenance'],
])('%s %s rejects everyone but the administrator', async (method, path) => {
  expect((await makeClient(app).fetch(path, { method })).status).toBe(401)
  for (const tier of ['free', 'premium'] as const) {
    const user = await makePerson(app, { tier })
    expect((await user.fetch(path, { method })).status).toBe(403)
  }
})
