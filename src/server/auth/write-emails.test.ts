import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeAddress, makeUnverifiedUser, withVerification } from '../../../tests/support/signup.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { tokenLifetimeMs } from '../../shared/rules/accounts/session-lifetime.ts'
import { accounts, accountTokens, pendingSignups, users } from '../db/schema.ts'
import type { OutgoingEmail } from '../email/email.ts'
import { credentialStamp, tokenHash } from './secrets.ts'
import { insertPendingSignup } from './signup-queries.ts'
import { writeAccountEmail } from './write-emails.ts'

const dayMs = tokenLifetimeMs['verify-email']

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: withVerification })
})
afterAll(() => app.close())

function setVerified(userId: string, isVerified: boolean) {
  return app.deps.db.update(users).set({ emailVerified: isVerified }).where(eq(users.id, userId))
}

function getContentText(email: OutgoingEmail | null): string {
  return JSON.stringify(email?.content)
}

/** Returns the database row for the token in an email's link, or null if there is none. */
async function findToken(email: OutgoingEmail | null) {
  const token = /\?token=([\w-]{43})/.exec(getContentText(email))?.[1] ?? ''
  const { db } = app.deps
  const hasSameHash = eq(accountTokens.hash, tokenHash(token))
  const [row] = await db.select().from(accountTokens).where(hasSameHash)
  return row ?? null
}

describe('emails to account owners', () => {
  let person: { id: string; email: string }
  beforeEach(async () => {
    const email = makeAddress()
    person = { id: await makeUnverifiedUser(app, email), email }
    await setVerified(person.id, true)
  })

  function writeResetEmail(email = person.email) {
    const askedAt = app.clock().toISOString()
    return writeAccountEmail(app.deps, { kind: 'forgot-password', email, askedAt })
  }

  it('contain a reset token that is valid for an hour for this account', async () => {
    const email = await writeResetEmail()
    expect(email?.to).toEqual({ name: 'Mallory', address: person.email })
    expect(getContentText(email)).toContain(`${app.url}/reset-password?token=`)
    const [account] = await app.deps.db
      .select()
      .from(accounts)
      .where(eq(accounts.userId, person.id))
    const token = await findToken(email)
    expect(token).toMatchObject({
      userId: person.id,
      signupId: null,
      purpose: 'reset-password',
      stamp: credentialStamp({ email: person.email, passwordHash: account?.password ?? '' }),
      expiresAt: new Date(app.clock().getTime() + tokenLifetimeMs['reset-password']),
    })
    const secondToken = await findToken(await writeResetEmail())
    expect(secondToken?.hash).not.toBe(token?.hash)
    expect(await findToken(email)).toEqual(token)
    expect(await writeResetEmail('nobody@example.org')).toBeNull()
  })

  it('offer to set a password if the account has none', async () => {
    const removeToken = (email: OutgoingEmail | null) =>
      getContentText(email).replace(/token=[\w-]+/g, '')
    const emailBefore = removeToken(await writeResetEmail())
    await app.deps.db.update(accounts).set({ password: null }).where(eq(accounts.userId, person.id))
    expect(removeToken(await writeResetEmail())).not.toBe(emailBefore)
  })

  const changes = [
    { kind: 'password-changed', changedBy: 'session', removedGoogle: false },
    { kind: 'password-changed', changedBy: 'email', removedGoogle: false },
    { kind: 'password-changed', changedBy: 'email', removedGoogle: true },
    { kind: 'google-linked', tookOver: false },
    { kind: 'google-linked', tookOver: true },
  ] as const
  const writeChangeEmail = (change: (typeof changes)[number], userId = person.id) => {
    const timestamp = app.clock().toISOString()
    const request =
      change.kind === 'google-linked'
        ? { ...change, linkedAt: timestamp }
        : { ...change, changedAt: timestamp }
    return writeAccountEmail(app.deps, { ...request, userId })
  }

  it('have their own text for each change and no sign-in link', async () => {
    const emails = await Promise.all(changes.map((change) => writeChangeEmail(change)))
    expect(new Set(emails.map(getContentText)).size).toBe(changes.length)
    for (const email of emails) {
      expect(email?.to).toEqual({ name: 'Mallory', address: person.email })
      expect(getContentText(email)).not.toContain('token=')
    }
  })

  it.each(changes)('omit the name if the address is unverified: %j', async (change) => {
    await setVerified(person.id, false)
    const email = await writeChangeEmail(change)
    expect(email).toMatchObject({ isVerified: false, to: { name: '', address: person.email } })
    expect(getContentText(email)).not.toContain('Mallory')
    expect(await writeChangeEmail(change, 'nobody')).toBeNull()
  })
})

async function addSignup(email = makeAddress(), browser: string | null = null): Promise<string> {
  const id = randomUUID()
  const createdAt = app.clock()
  await insertPendingSignup(app.deps.db, {
    id,
    email,
    firstName: 'Mallory',
    lastName: 'Words of a stranger',
    passwordHash: `salt:${id}`,
    browser,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + dayMs),
  })
  return id
}

describe('the signup email', () => {
  const writeSignupEmail = (signupId: string) =>
    writeAccountEmail(app.deps, { kind: 'signup', signupId })

  it('links to its signup for a day and repeats no user input', async () => {
    const address = makeAddress()
    const id = await addSignup(address, 'Firefox on Linux')
    const email = await writeSignupEmail(id)
    expect(await findToken(email)).toMatchObject({
      signupId: id,
      userId: null,
      purpose: 'verify-email',
      expiresAt: new Date(app.clock().getTime() + dayMs),
    })
    expect(email?.to).toEqual({ name: '', address })
    expect(getContentText(email)).toContain('Firefox on Linux')
    expect(getContentText(email)).not.toMatch(/Mallory|stranger/)
  })

  it('keeps its signup valid for a day, even if it is delivered late', async () => {
    const id = await addSignup()
    app.clock.advance(dayMs - 1)
    expect(await writeSignupEmail(id)).not.toBeNull()
    const { db } = app.deps
    const [row] = await db.select().from(pendingSignups).where(eq(pendingSignups.id, id))
    expect(row?.expiresAt).toEqual(new Date(app.clock().getTime() + dayMs))
    app.clock.advance(dayMs)
    expect(await writeSignupEmail(id)).toBeNull()
  })

  it('is not written for an unknown signup or the administrator’s address', async () => {
    expect(await writeSignupEmail(randomUUID())).toBeNull()
    expect(await writeSignupEmail(await addSignup(app.deps.config.adminEmail))).toBeNull()
  })

  it('notifies the owner of a verified account without a link', async () => {
    const address = makeAddress()
    const userId = await makeUnverifiedUser(app, address)
    const id = await addSignup(address)
    // Whoever receives the email owns the address, so its link may take over the unverified
    // account.
    expect(await findToken(await writeSignupEmail(id))).toMatchObject({
      signupId: id,
      userId: null,
    })
    await setVerified(userId, true)
    const email = await writeSignupEmail(id)
    expect(email?.to).toEqual({ name: 'Mallory', address })
    expect(await findToken(email)).toBeNull()
    expect(getContentText(email)).toContain(`${app.url}/login`)
  })
})

describe('the resent verification email', () => {
  const writeResentEmail = (email: string, subject: string | null = null) => {
    const askedAt = app.clock().toISOString()
    return writeAccountEmail(app.deps, { kind: 'resend-verification', email, subject, askedAt })
  }

  it("is for this browser's signup, or else the newest", async () => {
    const [address, otherSignup] = [makeAddress(), await addSignup()]
    expect(await writeResentEmail(address, otherSignup)).toBeNull()
    const olderId = await addSignup(address)
    app.clock.advance(1000)
    const newestId = await addSignup(address)
    for (const [subject, signupId] of [
      [olderId, olderId],
      [newestId, newestId],
      [null, newestId],
      [otherSignup, newestId],
    ] as const) {
      expect(await findToken(await writeResentEmail(address, subject))).toMatchObject({ signupId })
    }
  })

  it("verifies the account named in the browser's cookie, or one without a pending signup", async () => {
    const address = makeAddress()
    const userId = await makeUnverifiedUser(app, address)
    const email = await writeResentEmail(address)
    expect(await findToken(email)).toMatchObject({
      userId,
      purpose: 'verify-email',
      expiresAt: new Date(app.clock().getTime() + dayMs),
    })
    expect(email?.to).toEqual({ name: '', address })
    const signupId = await addSignup(address)
    expect(await findToken(await writeResentEmail(address, userId))).toMatchObject({
      userId,
      signupId: null,
    })
    expect(await findToken(await writeResentEmail(address))).toMatchObject({
      userId: null,
      signupId,
    })
  })

  it('is not written for a verified account or an unknown email address', async () => {
    const address = makeAddress()
    const userId = await makeUnverifiedUser(app, address)
    await setVerified(userId, true)
    expect(await writeResentEmail(address)).toBeNull()
    expect(await writeResentEmail(address, userId)).toBeNull()
    expect(await writeResentEmail(makeAddress())).toBeNull()
  })
})
