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
  app.deps.settings.forget()
})
afterAll(() => app.close())

async function read(name: 'email-signature' | 'version' | 'premium-price') {
  return json(await makeClient(app).fetch(`/api/settings/${name}`))
}

function change(key: unknown, value: unknown, more: object = {}) {
  return admin.post('/api/admin/settings', { key, value, ...more })
}

/** Settings, each with the part of the error message that states its limit. */
const boundOf = [
  ['premium_price', 'from 1 to 99'],
  ['app_version', '1 to 40 characters'],
  ['email_signature', '1 to 500 characters'],
  ['free_max_files', 'from 1 to 10,000'],
] as const

describe('the public settings', () => {
  it('have the defaults of spec §9', async () => {
    expect(await read('premium-price')).toEqual({ price: 8 })
    expect(await read('version')).toEqual({ version: 'v0.9.10' })
    expect(await read('email-signature')).toEqual({
      signature: `Mayfly\nSecure file sharing with links that expire\n${app.deps.config.supportEmail}`,
    })
  })

  it('include a support address only if it receives email', async () => {
    const contactOf = async (server: TestApp) =>
      json(await makeClient(server).fetch('/api/settings/contact'))
    expect(await contactOf(app)).toEqual({ supportEmail: null })
    const other = await startTestApp({ env: { SUPPORT_EMAIL: 'help@example.org' } })
    expect(await contactOf(other)).toEqual({ supportEmail: 'help@example.org' })
    await other.close()
  })

  it('are cached by browsers for 5 minutes, unlike other responses', async () => {
    for (const name of ['premium-price', 'version', 'email-signature', 'contact']) {
      const { headers } = await makeClient(app).fetch(`/api/settings/${name}`)
      expect(headers.get('cache-control')).toBe('public, max-age=300')
    }
    const user = await admin.fetch('/api/auth/user')
    expect(user.headers.get('cache-control')).toBe('no-store')
  })

  it("are cached for 5 minutes, then include other servers' changes", async () => {
    await read('version')
    await app.deps.db
      .insert(settings)
      .values({ key: 'app_version', value: 'v2', updatedAt: app.clock() })
    app.clock.advance(settingsCacheMs - 1)
    expect(await read('version')).toEqual({ version: 'v0.9.10' })
    app.clock.advance(1)
    expect(await read('version')).toEqual({ version: 'v2' })
  })
})

describe('GET /api/admin/settings', () => {
  const readAll = async () =>
    json<{ values: Record<string, string> }>(await admin.fetch('/api/admin/settings'))

  it('returns all current settings as stored', async () => {
    await change('premium_price', '9.50')
    const { values } = await readAll()
    expect(Object.keys(values).sort()).toEqual([...settingKeys].sort())
    expect(values).toMatchObject({
      premium_price: '9.5',
      app_version: 'v0.9.10',
      free_max_files: '3',
      storage_cap: 'unlimited',
    })
  })

  it("returns and applies another server's change at once", async () => {
    await read('version')
    for (const [key, value] of [
      ['app_version', 'v2'],
      ['free_max_files', '2'],
    ] as const) {
      await app.deps.db.insert(settings).values({ key, value, updatedAt: app.clock() })
    }
    expect((await readAll()).values).toMatchObject({ app_version: 'v2', free_max_files: '2' })
    expect(await read('version')).toEqual({ version: 'v2' })
  })

  it('is only for administrators', async () => {
    expect((await makeClient(app).fetch('/api/admin/settings')).status).toBe(401)
    const user = await makePerson(app, { tier: 'premium' })
    expect((await user.fetch('/api/admin/settings')).status).toBe(403)
  })
})

describe('POST /api/admin/settings', () => {
  it('changes a setting, which applies at once on this server', async () => {
    await read('premium-price')
    const changed = await change('premium_price', 12.5, { description: 'Since November' })
    expect(changed.status).toBe(200)
    const setting = { key: 'premium_price', value: '12.5', description: 'Since November' }
    expect(await json(changed)).toEqual(setting)
    expect(await read('premium-price')).toEqual({ price: 12.5 })

    const again = await change('premium_price', '13')
    expect(await json(again)).toEqual({ ...setting, value: '13' })
  })

  it('changes the signature of later emails', async () => {
    const email = async () => {
      const { email } = await makePerson(app)
      await app.mails()
      await makeClient(app).post('/api/auth/forgot-password', { email })
      return (await app.mails())[0]?.content
    }
    const { supportEmail } = app.deps.config
    expect((await email())?.text).toMatch(/\n-- \nMayfly\nSecure file sharing/)
    expect((await change('email_signature', 'Yours,\nthe <people> here')).status).toBe(200)
    const signed = await email()
    expect(signed?.text.endsWith(`\n-- \nYours,\nthe <people> here\n${supportEmail}\n`)).toBe(true)
    expect(signed?.html).toContain('Yours,<br>the &lt;people&gt; here<br>')
    expect(signed?.html).not.toContain('Secure file sharing')
  })

  it('is recorded in the audit log', async () => {
    await change('app_version', 'v1')
    await change('app_version', 'v2')
    const lines = await app.deps.db
      .select({ actor: auditLog.actor, details: auditLog.details, ipAddress: auditLog.ipAddress })
      .from(auditLog)
      .where(eq(auditLog.action, 'change-setting'))
      .orderBy(auditLog.id)
    const from = { actor: admin.id, ipAddress: '127.0.0.1' }
    expect(lines.slice(-2)).toEqual([
      { ...from, details: { key: 'app_version', from: null, to: 'v1' } },
      { ...from, details: { key: 'app_version', from: 'v1', to: 'v2' } },
    ])
  })

  it.each([
    ['premium_price', '100', 'The price must be a number from 1 to 99, in whole cents.'],
    ['premium_price', 0, 'The price must be a number from 1 to 99, in whole cents.'],
    ['app_version', '', 'The version must be one line of 1 to 40 characters.'],
    ['email_signature', 'a\0', 'The signature must be plain text of 1 to 500 characters.'],
  ])('refuses %s %j, states the limit and changes nothing', async (key, value, message) => {
    const refused = await change(key, value)
    expect(refused.status).toBe(400)
    expect(await json(refused)).toEqual({ code: 'INVALID_INPUT', message })
    expect(await app.deps.db.select().from(settings)).toEqual([])
  })

  it.each([undefined, null, true, [], ['9'], {}, { price: 9 }])(
    'states the limit for a value that is neither a string nor a number: %j',
    async (value) => {
      for (const [key, bound] of boundOf) {
        const refused = await change(key, value)
        expect(refused.status).toBe(400)
        expect(await json(refused)).toMatchObject({ message: expect.stringContaining(bound) })
      }
      expect(await app.deps.db.select().from(settings)).toEqual([])
    },
  )

  it.each([null, 'text', [], 7])('refuses the body %j', async (body) => {
    expect((await admin.post('/api/admin/settings', body)).status).toBe(400)
  })

  it('is described with a required value, a string or a number', async () => {
    const described = await json<{ paths: Record<string, unknown> }>(
      await admin.fetch('/api/openapi.json'),
    )
    expect(described.paths['/api/admin/settings']).toMatchObject({
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

  it('states the limit for a number that JSON parses as infinite', async () => {
    const refused = await admin.fetch('/api/admin/settings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"key":"premium_price","value":1e999}',
    })
    expect(refused.status).toBe(400)
    expect(await json(refused)).toMatchObject({ message: expect.stringContaining('from 1 to 99') })
  })

  it('states the limit for a value that is too long', async () => {
    for (const [key, bound] of boundOf) {
      const refused = await change(key, '9'.repeat(50_000))
      expect(refused.status).toBe(400)
      expect(await json(refused)).toMatchObject({ message: expect.stringContaining(bound) })
    }
  })

  it.each([
    ['installation', 'x', {}],
    ['__proto__', 'x', {}],
    ['app_version', 'v1', { description: 'x'.repeat(501) }],
    ['app_version', 'v1', { description: '\0' }],
    [undefined, undefined, {}],
  ])('refuses %j %j %j', async (key, value, more) => {
    expect((await change(key, value, more)).status).toBe(400)
  })

  it('is only for administrators', async () => {
    const body = { key: 'premium_price', value: '9' }
    const visitor = await makeClient(app).post('/api/admin/settings', body)
    expect(visitor.status).toBe(401)
    for (const tier of ['free', 'premium'] as const) {
      const user = await makePerson(app, { tier })
      expect((await user.post('/api/admin/settings', body)).status).toBe(403)
    }
    expect(await read('premium-price')).toEqual({ price: 8 })
  })

  it("doesn't lose parallel changes", async () => {
    const prices = Array.from({ length: 8 }, (_, at) => String(at + 1))
    const answers = await Promise.all(prices.map((price) => change('premium_price', price)))
    expect(answers.map(({ status }) => status)).toEqual(prices.map(() => 200))
    const lines = await app.deps.db
      .select({ details: auditLog.details })
      .from(auditLog)
      .where(eq(auditLog.action, 'change-setting'))
      .orderBy(auditLog.id)
    const chain = lines.slice(-8).map(({ details }) => details)
    // Each change starts from the value that the previous one wrote.
    for (const [at, line] of chain.slice(1).entries()) expect(line.from).toBe(chain[at]?.to)
  })
})
