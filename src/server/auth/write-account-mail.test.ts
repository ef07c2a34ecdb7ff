import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../tests/support/make.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { ownPasswordChanges } from '../../shared/rules/accounts/audit-ways.ts'
import { letterLimits, letterWindowMs } from '../../shared/rules/accounts/letter-limit.ts'
import { tokenLifetimeMs } from '../../shared/rules/accounts/token-purpose.ts'
import { accounts, accountTokens, users } from '../db/schema.ts'
import type { Addressed } from '../email/addressed.ts'
import { credentialStamp, tokenHash } from './secrets.ts'
import { writeAccountMail } from './write-account-mail.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

let person: Person
beforeEach(async () => {
  person = await makePerson(app)
  await app.deps.db.update(users).set({ emailVerified: true }).where(eq(users.id, person.id))
})

const first = { isRepeated: false }
const again = { isRepeated: true }

function askForReset(email = person.email) {
  return { kind: 'forgot-password', email, askedAt: app.clock().toISOString() } as const
}

function tokensOf(userId: string) {
  return app.deps.db.select().from(accountTokens).where(eq(accountTokens.userId, userId))
}

/** Returns all texts of a letter as one string. */
function textOf(letter: Addressed | null): string {
  return JSON.stringify(letter?.content)
}

/** Returns the hash of the token that the link in the letter contains. */
function hashIn(letter: Addressed | null): string {
  return tokenHash(/\?token=([\w-]{43})/.exec(textOf(letter))?.[1] ?? '')
}

describe('the letter for a new password', () => {
  it('leads to a token of this account that works for an hour', async () => {
    const letter = await writeAccountMail(app.deps, askForReset(), first)
    expect(letter?.to).toEqual({ name: 'Ada', address: person.email })
    expect(textOf(letter)).toContain(`${app.url}/reset-password?token=`)
    const [account] = await app.deps.db
      .select()
      .from(accounts)
      .where(eq(accounts.userId, person.id))
    const passwordHash = account?.password ?? ''
    expect(await tokensOf(person.id)).toEqual([
      {
        hash: hashIn(letter),
        userId: person.id,
        signupId: null,
        purpose: 'reset-password',
        stamp: credentialStamp({ email: person.email, passwordHash }),
        expiresAt: new Date(app.clock().getTime() + tokenLifetimeMs['reset-password']),
      },
    ])
  })

  it('is written again with another token after a try that failed, and the first one works too', async () => {
    const letters = [
      await writeAccountMail(app.deps, askForReset(), first),
      await writeAccountMail(app.deps, askForReset(), again),
    ]
    const hashes = letters.map(hashIn)
    expect(new Set(hashes).size).toBe(2)
    expect((await tokensOf(person.id)).map(({ hash }) => hash).sort()).toEqual(hashes.sort())
  })

  it('is counted once, however often its sending is tried', async () => {
    const most = letterLimits['reset-password']
    for (let count = 0; count < most; count += 1) {
      expect(await writeAccountMail(app.deps, askForReset(), first)).not.toBeNull()
      expect(await writeAccountMail(app.deps, askForReset(), again)).not.toBeNull()
    }
    expect(await writeAccountMail(app.deps, askForReset(), first)).toBeNull()
    // The server has already counted this letter, so it sends the letter.
    expect(await writeAccountMail(app.deps, askForReset(), again)).not.toBeNull()
    app.clock.advance(letterWindowMs)
    expect(await writeAccountMail(app.deps, askForReset(), first)).not.toBeNull()
  })

  it('that is not written makes no token', async () => {
    expect(await writeAccountMail(app.deps, askForReset('nobody@example.org'), first)).toBeNull()
    expect(await writeAccountMail(app.deps, askForReset('nobody@example.org'), again)).toBeNull()
    for (let count = 0; count < 5; count += 1) {
      await writeAccountMail(app.deps, askForReset(), first)
    }
    expect(await tokensOf(person.id)).toHaveLength(letterLimits['reset-password'])
  })

  it('tells an account without a password that it can set one', async () => {
    const before = textOf(await writeAccountMail(app.deps, askForReset(), first))
    await app.deps.db.update(accounts).set({ password: null }).where(eq(accounts.userId, person.id))
    const after = textOf(await writeAccountMail(app.deps, askForReset(), first))
    expect(after.replace(/token=[\w-]+/, '')).not.toBe(before.replace(/token=[\w-]+/, ''))
  })
})

describe.each([
  ['a new password', { kind: 'password-changed', changedBy: 'session', removedGoogle: false }],
  ['Google in an account', { kind: 'google-linked', tookOver: false }],
] as const)('the letter about %s', (_, facts) => {
  const request = (userId: string) => {
    const at = app.clock().toISOString()
    return { ...facts, userId, changedAt: at, linkedAt: at }
  }

  it('goes to the account of that id, with no link that lets anybody in', async () => {
    const letter = await writeAccountMail(app.deps, request(person.id), first)
    expect(letter?.to).toEqual({ name: 'Ada', address: person.email })
    expect(textOf(letter)).not.toContain('token=')
    expect(await tokensOf(person.id)).toEqual([])
  })

  it('names nobody to an address that nobody has verified', async () => {
    await app.deps.db.update(users).set({ emailVerified: false }).where(eq(users.id, person.id))
    const letter = await writeAccountMail(app.deps, request(person.id), first)
    expect(letter?.to).toEqual({ name: '', address: person.email })
    expect(textOf(letter)).not.toContain('Ada')
  })

  it('is not written to a user who is gone', async () => {
    await app.deps.db.delete(users).where(eq(users.id, person.id))
    expect(await writeAccountMail(app.deps, request(person.id), first)).toBeNull()
    expect(await writeAccountMail(app.deps, request('nobody'), again)).toBeNull()
  })
})

it('the letter about a new password says how it was changed', async () => {
  const changedAt = app.clock().toISOString()
  const [byLetter, bySession] = await Promise.all(
    ownPasswordChanges.map((changedBy) =>
      writeAccountMail(
        app.deps,
        {
          kind: 'password-changed',
          userId: person.id,
          changedAt,
          changedBy,
          removedGoogle: false,
        },
        first,
      ),
    ),
  )
  expect(textOf(bySession ?? null)).not.toBe(textOf(byLetter ?? null))
})

it.each([true, false])(
  'the letter about a new password says whether Google was removed: %s',
  async (removedGoogle) => {
    const changedAt = app.clock().toISOString()
    const letter = await writeAccountMail(
      app.deps,
      {
        kind: 'password-changed',
        userId: person.id,
        changedAt,
        changedBy: 'letter',
        removedGoogle,
      },
      first,
    )
    expect(textOf(letter).includes('Google was removed from the account')).toBe(removedGoogle)
  },
)

it('the letter about Google says whether the older ways to sign in were removed', async () => {
  const linkedAt = app.clock().toISOString()
  const [added, tookOver] = await Promise.all(
    [false, true].map((tookOver) =>
      writeAccountMail(
        app.deps,
        { kind: 'google-linked', userId: person.id, linkedAt, tookOver },
        first,
      ),
    ),
  )
  expect(textOf(added ?? null)).not.toBe(textOf(tookOver ?? null))
})
