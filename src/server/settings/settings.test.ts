import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { json, makeClient, makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { settingKeys } from '../../shared/rules/tiers/admin-settings.ts'
import { auditLog, settings } from '../db/schema.ts'
import { settingsCacheMs } from './admin-settings.ts'

let app: TestApp
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin' })
})
beforeEach(async () => {
  await app.deps.db.delete(settings)
  app.deps.settings.clearCache()
})
afterAll(() => app.close())

async function readSetting(name: 'email-signature' | 'version' | 'premium-price') {
  return json(await makeClient(app).fetch(`/api/settings/${name}`))
}

function changeSetting(key: unknown, value: unknown, extraFields: object = {}) {
  return admin.post('/api/admin/settings', { key, value, ...extraFields })
}

/** For each setting, the part of the error message that states its limit. */
const limitTexts = [
  ['premium_price', 'from 1 to 99'],
  ['app_version', '1 to 40 characters'],
  ['email_signature', '1 to 500 characters'],
  ['free_max_files', 'from 1 to 10,000'],
] as const

describe('the public settings', () => {
  it('have the defaults of spec §9', async () => {
    expect(await readSetting('premium-price')).toEqual({ price: 8 })
    expect(await readSetting('version')).toEqual({ version: 'v0.9.10' })
    expect(await readSetting('email-signature')).toEqual({
      signature: `Mayfly\nSecure file sharing with links that expire\n${app.deps.config.supportEmail}`,
    })
  })

  it('include a support address only if that address receives email', async () => {
    const fetchContact = async (server: TestApp) =>
      json(await makeClient(server).fetch('/api/settings/contact'))
    expect(await fetchContact(app)).toEqual({ supportEmail: null })
    const otherApp = await startTestApp({ env: { SUPPORT_EMAIL: 'help@example.org' } })
    expect(await fetchContact(otherApp)).toEqual({ supportEmail: 'help@example.org' })
    await otherApp.close()
  })

  it('are cached by browsers for 5 minutes, unlike other responses', async () => {
    for (const name of ['premium-price', 'version', 'email-signature', 'contact']) {
      const { headers } = await makeClient(app).fetch(`/api/settings/${name}`)
      expect(headers.get('cache-control')).toBe('public, max-age=300')
    }
    const userResponse = await admin.fetch('/api/auth/user')
    expect(userResponse.headers.get('cache-control')).toBe('no-store')
  })

  it('are cached for 5 minutes, then include changes made by other servers', async () => {
    await readSetting('version')
    await app.deps.db
      .insert(settings)
      .values({ key: 'app_version', value: 'v2', updatedAt: app.clock() })
    app.clock.advance(settingsCacheMs - 1)
    expect(await readSetting('version')).toEqual({ version: 'v0.9.10' })
    app.clock.advance(1)
    expect(await readSetting('version')).toEqual({ version: 'v2' })
  })
})

describe('GET /api/admin/settings', () => {
  const readAll = async () =>
    json<{ values: Record<string, string> }>(await admin.fetch('/api/admin/settings'))

  it('returns all current settings as stored', async () => {
    await changeSetting('premium_price', '9.50')
    const { values } = await readAll()
    expect(Object.keys(values).sort()).toEqual([...settingKeys].sort())
    expect(values).toMatchObject({
      premium_price: '9.5',
      app_version: 'v0.9.10',
      free_max_files: '3',
      storage_cap: 'unlimited',
    })
  })

  it("returns another server's change and applies it immediately", async () => {
    await readSetting('version')
    for (const [key, value] of [
      ['app_version', 'v2'],
      ['free_max_files', '2'],
    ] as const) {
      await app.deps.db.insert(settings).values({ key, value, updatedAt: app.clock() })
    }
    expect((await readAll()).values).toMatchObject({ app_version: 'v2', free_max_files: '2' })
    expect(await readSetting('version')).toEqual({ version: 'v2' })
  })

  it('rejects everyone but the administrator', async () => {
    expect((await makeClient(app).fetch('/api/admin/settings')).status).toBe(401)
    const user = await makePerson(app, { tier: 'premium' })
    expect((await user.fetch('/api/admin/settings')).status).toBe(403)
  })
})

describe('POST /api/admin/settings', () => {
  it('changes a setting, which applies immediately on this server', async () => {
    await readSetting('premium-price')
    const response = await changeSetting('premium_price', 12.5, { description: 'Since November' })
    expect(response.status).toBe(200)
    const setting = { key: 'premium_price', value: '12.5', description: 'Since November' }
    expect(await json(response)).toEqual(setting)
    expect(await readSetting('premium-price')).toEqual({ price: 12.5 })

    const secondResponse = await changeSetting('premium_price', '13')
    expect(await json(secondResponse)).toEqual({ ...setting, value: '13' })
  })

  it('changes the signature of later emails', async () => {
    const requestEmail = async () => {
      const { email } = await makePerson(app)
      await app.sendQueuedEmails()
      await makeClient(app).post('/api/auth/forgot-password', { email })
      return (await app.sendQueuedEmails())[0]?.content
    }
    const { supportEmail } = app.deps.config
    expect((await requestEmail())?.text).toMatch(/\n-- \nMayfly\nSecure file sharing/)
    expect((await changeSetting('email_signature', 'Yours,\nthe <people> here')).status).toBe(200)
    const signedEmail = await requestEmail()
    expect(signedEmail?.text.endsWith(`\n-- \nYours,\nthe <people> here\n${supportEmail}\n`)).toBe(
      true,
    )
    expect(signedEmail?.html).toContain('Yours,<br>the &lt;people&gt; here<br>')
    expect(signedEmail?.html).not.toContain('Secure file sharing')
  })

  it('is recorded in the audit log', async () => {
    await changeSetting('app_version', 'v1')
    await changeSetting('app_version', 'v2')
    const lines = await app.deps.db
      .select({ actor: auditLog.actor, details: auditLog.details, ipAddress: auditLog.ipAddress })
      .from(auditLog)
      .where(eq(auditLog.action, 'change-setting'))
      .orderBy(auditLog.id)
    const actorFields = { actor: admin.id, ipAddress: '127.0.0.1' }
    expect(lines.slice(-2)).toEqual([
      { ...actorFields, details: { key: 'app_version', from: null, to: 'v1' } },
      { ...actorFields, details: { key: 'app_version', from: 'v1', to: 'v2' } },
    ])
  })

  it.each([
    ['premium_price', '100', 'The price must be a number from 1 to 99, in whole cents.'],
    ['premium_price', 0, 'The price must be a number from 1 to 99, in whole cents.'],
    ['app_version', '', 'The version must be one line of 1 to 40 characters.'],
    ['email_signature', 'a\0', 'The signature must be plain text of 1 to 500 characters.'],
  ])('rejects %s %j, states the limit and changes nothing', async (key, value, message) => {
    const rejectedResponse = await changeSetting(key, value)
    expect(rejectedResponse.status).toBe(400)
    expect(await json(rejectedResponse)).toEqual({ code: 'INVALID_INPUT', message })
    expect(await app.deps.db.select().from(settings)).toEqual([])
  })

  it.each([undefined, null, true, [], ['9'], {}, { price: 9 }])(
    'states the limit for a value that is neither a string nor a number: %j',
    async (value) => {
      for (const [key, limitText] of limitTexts) {
        const rejectedResponse = await changeSetting(key, value)
        expect(rejectedResponse.status).toBe(400)
        expect(await json(rejectedResponse)).toMatchObject({
          message: expect.stringContaining(limitText),
        })
      }
      expect(await app.deps.db.select().from(settings)).toEqual([])
    },
  )

  it.each([null, 'text', [], 7])('rejects the body %j', async (body) => {
    expect((await admin.post('/api/admin/settings', body)).status).toBe(400)
  })

  it('is documented to require a value that is a string or a number', async () => {
    const description = await json<{ paths: Record<string, unknown> }>(
      await admin.fetch('/api/openapi.json'),
    )
    expect(description.paths['/api/admin/settings']).toMatchObject({
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                required: ['key', 'value'],
                properties: { value: { type: ['string', 'number'] } },
              },
            },
          },
        },
      },
    })
  })

  it('states the limit for a number that JSON.parse reads as infinite', async () => {
    const rejectedResponse = await admin.fetch('/api/admin/settings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"key":"premium_price","value":1e999}',
    })
    expect(rejectedResponse.status).toBe(400)
    expect(await json(rejectedResponse)).toMatchObject({
      message: expect.stringContaining('from 1 to 99'),
    })
  })

  it('states the limit for a value that is too long', async () => {
    for (const [key, limitText] of limitTexts) {
      const rejectedResponse = await changeSetting(key, '9'.repeat(50_000))
      expect(rejectedResponse.status).toBe(400)
      expect(await json(rejectedResponse)).toMatchObject({
        message: expect.stringContaining(limitText),
      })
    }
  })

  it.each([
    ['installation', 'x', {}],
    ['__proto__', 'x', {}],
    ['app_version', 'v1', { description: 'x'.repeat(501) }],
    ['app_version', 'v1', { description: '\0' }],
    [undefined, undefined, {}],
  ])('rejects %j %j %j', async (key, value, extraFields) => {
    expect((await changeSetting(key, value, extraFields)).status).toBe(400)
  })

  it('rejects everyone but the administrator', async () => {
    const body = { key: 'premium_price', value: '9' }
    const visitorResponse = await makeClient(app).post('/api/admin/settings', body)
    expect(visitorResponse.status).toBe(401)
    for (const tier of ['free', 'premium'] as const) {
      const user = await makePerson(app, { tier })
      expect((await user.post('/api/admin/settings', body)).status).toBe(403)
    }
    expect(await readSetting('premium-price')).toEqual({ price: 8 })
  })

  it("doesn't lose parallel changes", async () => {
    const prices = Array.from({ length: 8 }, (_, index) => String(index + 1))
    const responses = await Promise.all(
      prices.map((price) => changeSetting('premium_price', price)),
    )
    expect(responses.map(({ status }) => status)).toEqual(prices.map(() => 200))
    const lines = await app.deps.db
      .select({ details: auditLog.details })
      .from(auditLog)
      .where(eq(auditLog.action, 'change-setting'))
      .orderBy(auditLog.id)
    const changeDetails = lines.slice(-8).map(({ details }) => details)
    // Each change starts from the value that the previous one wrote.
    for (const [index, line] of changeDetails.slice(1).entries())
      expect(line.from).toBe(changeDetails[index]?.to)
  })
})
