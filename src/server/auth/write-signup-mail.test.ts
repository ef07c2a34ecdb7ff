import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeUnverified, newAddress, verified } from '../../../tests/support/signup.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { letterLimits, letterWindowMs } from '../../shared/rules/accounts/letter-limit.ts'
import { tokenLifetimeMs } from '../../shared/rules/accounts/token-purpose.ts'
import { accountTokens, pendingSignups, users } from '../db/schema.ts'
import type { Addressed } from '../email/addressed.ts'
import { tokenHash } from './secrets.ts'
import { insertPendingSignup } from './signup-queries.ts'
import { writeResentLetter, writeSignupLetter } from './write-signup-mail.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: verified })
})
afterAll(() => app.close())

const dayMs = tokenLifetimeMs['verify-email']
const first = { isRepeated: false }
const again = { isRepeated: true }

/** Adds a pending signup, as if somebody had just sent the form. Returns its id. */
async function signUp(email = newAddress(), browser: string | null = null): Promise<string> {
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

function write(signupId: string, tried = first) {
  return writeSignupLetter(app.deps, { kind: 'signup', signupId }, tried)
}

function resend(email: string, subject: string | null = null, tried = first) {
  const askedAt = app.clock().toISOString()
  return writeResentLetter(
    app.deps,
    { kind: 'resend-verification', email, subject, askedAt },
    tried,
  )
}

async function waiting(id: string) {
  const rows = await app.deps.db.select().from(pendingSignups).where(eq(pendingSignups.id, id))
  return rows[0]
}

function textOf(letter: Addressed | null): string {
  return JSON.stringify(letter?.content)
}

/** Returns the row of the token that the link in a letter contains. */
async function linkOf(letter: Addressed | null) {
  const token = /\/verify-email\?token=([\w-]{43})/.exec(textOf(letter))?.[1]
  if (token === undefined) return null
  const { db } = app.deps
  const [row] = await db
    .select()
    .from(accountTokens)
    .where(eq(accountTokens.hash, tokenHash(token)))
  return row ?? null
}

describe('the letter of a signup', () => {
  it('leads to exactly that signup, for a day, and repeats nothing that was typed', async () => {
    const id = await signUp(newAddress(), 'Firefox on Linux')
    const letter = await write(id)
    expect(await linkOf(letter)).toMatchObject({
      signupId: id,
      userId: null,
      purpose: 'verify-email',
      expiresAt: new Date(app.clock().getTime() + dayMs),
    })
    expect(letter?.to).toEqual({ name: '', address: (await waiting(id))?.email })
    expect(textOf(letter)).toContain('Firefox on Linux')
    expect(textOf(letter)).not.toMatch(/Mallory|stranger/)
  })

  it('that is late lets its signup wait for a day from then on', async () => {
    const id = await signUp()
    app.clock.advance(dayMs - 1)
    expect(await write(id)).not.toBeNull()
    expect((await waiting(id))?.expiresAt).toEqual(new Date(app.clock().getTime() + dayMs))
  })

  it.each([0, 1])('is not written once its signup is over by %i ms', async (lateMs) => {
    const id = await signUp()
    app.clock.advance(dayMs + lateMs)
    expect(await write(id)).toBeNull()
  })

  it('is not written for a signup that is gone', async () => {
    expect(await write(randomUUID())).toBeNull()
  })

  it('past the limit of the address is not written, and its signup waits no more', async () => {
    const email = newAddress()
    for (let count = 0; count < letterLimits.signup; count += 1) {
      expect(await write(await signUp(email))).not.toBeNull()
    }
    const id = await signUp(email)
    expect(await write(id)).toBeNull()
    expect(await waiting(id)).toBeUndefined()
    app.clock.advance(letterWindowMs)
    expect(await write(await signUp(email))).not.toBeNull()
  })

  it('is counted once, however often its sending is tried', async () => {
    const email = newAddress()
    const id = await signUp(email)
    await write(id)
    for (let count = 0; count < 10; count += 1) expect(await write(id, again)).not.toBeNull()
    expect(await write(await signUp(email))).not.toBeNull()
  })

  it('for an address that has an account tells its owner, and has no link', async () => {
    const email = newAddress()
    const userId = await makeUnverified(app, email)
    await app.deps.db
      .update(users)
      .set({ emailVerified: true, firstName: 'Ada' })
      .where(eq(users.id, userId))
    const letter = await write(await signUp(email))
    expect(letter?.to).toEqual({ name: 'Ada', address: email })
    expect(await linkOf(letter)).toBeNull()
    expect(textOf(letter)).toContain(`${app.url}/login`)
  })

  it('for an account that nobody has verified has a link: whoever reads it owns the address', async () => {
    const email = newAddress()
    await makeUnverified(app, email)
    const id = await signUp(email)
    expect(await linkOf(await write(id))).toMatchObject({ signupId: id, userId: null })
  })

  it('is not written to the administrator’s address, even before that account exists', async () => {
    expect(await write(await signUp(app.deps.config.adminEmail))).toBeNull()
  })
})

describe('the letter that is asked for again', () => {
  it('is that of the signup that the browser made, or else of the newest', async () => {
    const email = newAddress()
    const older = await signUp(email)
    app.clock.advance(1000)
    const newest = await signUp(email)
    for (const [subject, signupId] of [
      [older, older],
      [newest, newest],
      [null, newest],
      ['of nobody', newest],
    ] as const) {
      expect(await linkOf(await resend(email, subject))).toMatchObject({ signupId })
    }
  })

  it('is not that of another address, whose signup the browser names', async () => {
    const foreign = await signUp()
    const email = newAddress()
    expect(await resend(email, foreign)).toBeNull()
    const own = await signUp(email)
    expect(await linkOf(await resend(email, foreign))).toMatchObject({ signupId: own })
  })

  it('verifies the account that the browser names, though a signup waits beside it', async () => {
    const email = newAddress()
    const userId = await makeUnverified(app, email)
    const signupId = await signUp(email)
    expect(await linkOf(await resend(email, userId))).toMatchObject({ userId, signupId: null })
    expect(await linkOf(await resend(email))).toMatchObject({ userId: null, signupId })
  })

  it('verifies an account that nobody has verified, where no signup waits', async () => {
    const email = newAddress()
    const userId = await makeUnverified(app, email)
    const letter = await resend(email)
    expect(await linkOf(letter)).toMatchObject({
      userId,
      purpose: 'verify-email',
      expiresAt: new Date(app.clock().getTime() + dayMs),
    })
    expect(letter?.to).toEqual({ name: '', address: email })
  })

  it('is not written to an account that is verified, nor to an address that nobody knows', async () => {
    const email = newAddress()
    const userId = await makeUnverified(app, email)
    await app.deps.db.update(users).set({ emailVerified: true }).where(eq(users.id, userId))
    expect(await resend(email)).toBeNull()
    expect(await resend(email, userId)).toBeNull()
    expect(await resend(newAddress())).toBeNull()
  })

  it('is not written past the limit of the address, except for one that was counted', async () => {
    const email = newAddress()
    await signUp(email)
    for (let count = 0; count < letterLimits.signup; count += 1) await resend(email)
    expect(await resend(email)).toBeNull()
    expect(await resend(email, null, again)).not.toBeNull()
  })
})
