import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { logIn, makeClient } from '../../../tests/support/make.ts'
import {
  getCookies,
  makeAddress,
  readStatusAndCode,
  resendVerification,
  signUp,
  signUpForToken,
  toComparableResponse,
  tokenIn,
  tryLogin,
  verifyEmail,
  withVerification,
} from '../../../tests/support/signup.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'

const minute = 60_000
const hour = 60 * minute

let app: TestApp
let email: string
beforeAll(async () => {
  app = await startTestApp({ env: withVerification })
})
afterAll(() => app.close())
beforeEach(async () => {
  await app.sendQueuedEmails()
  email = makeAddress()
})

describe('POST /api/auth/resend-verification', () => {
  it('responds identically for every email address', async () => {
    const [pendingAddress, knownAddress] = [makeAddress(), makeAddress()]
    await signUp(makeClient(app), { email: pendingAddress })
    await verifyEmail(app, await signUpForToken(app, { email: knownAddress }))
    const responses = []
    for (const address of [email, pendingAddress, knownAddress])
      responses.push(await toComparableResponse(await resendVerification(app, address)))
    expect(responses[0]).toMatchObject({
      status: 200,
      body: JSON.stringify({
        message: 'If this address still has to be verified, we have sent the email again.',
      }),
    })
    for (const response of responses.slice(1)) expect(response).toEqual(responses[0])
    expect((await app.sendQueuedEmails()).map(({ to }) => to.address)).toEqual([pendingAddress])
  })

  it.each([undefined, '', 'no address', 7])('rejects %j', async (address) => {
    expect((await resendVerification(app, address as string)).status).toBe(400)
  })

  it("resends the email of this browser's signup, or else of the newest", async () => {
    const firstResponse = await signUp(makeClient(app), { email, password: 'the first' })
    app.clock.advance(1)
    await signUp(makeClient(app), { email, password: 'the second' })
    await app.sendQueuedEmails()
    await resendVerification(app, email)
    await resendVerification(app, email, getCookies(firstResponse))
    const [newestEmail, ownEmail] = await app.sendQueuedEmails()
    expect((await verifyEmail(app, tokenIn(ownEmail))).status).toBe(200)
    await logIn(app, email, 'the first')
    expect((await verifyEmail(app, tokenIn(newestEmail))).status).toBe(400)
  })

  it('resends the email of the signup whose password was entered in this browser', async () => {
    await signUp(makeClient(app), { email, password: 'the first' })
    app.clock.advance(1)
    await signUp(makeClient(app), { email, password: 'the second' })
    await app.sendQueuedEmails()
    const loginResponse = await tryLogin(app, email, 'the first')
    await resendVerification(app, email, getCookies(loginResponse))
    const [sentEmail] = await app.sendQueuedEmails()
    await verifyEmail(app, tokenIn(sentEmail))
    await logIn(app, email, 'the first')
  })

  it('extends a signup by 24 hours', async () => {
    await signUp(makeClient(app), { email })
    app.clock.advance(23 * hour)
    await resendVerification(app, email)
    const [, resentEmail] = await app.sendQueuedEmails()
    app.clock.advance(23 * hour)
    expect((await verifyEmail(app, tokenIn(resentEmail))).status).toBe(200)
  })

  it('ignores a cookie with an unknown id or someone else’s signup', async () => {
    const otherSignupResponse = await signUp(makeClient(app), { email: makeAddress() })
    await signUp(makeClient(app), { email })
    await app.sendQueuedEmails()
    for (const cookie of [
      getCookies(otherSignupResponse),
      "mayfly.unverified='; --",
      'mayfly.unverified=x',
    ]) {
      expect((await resendVerification(app, email, cookie)).status).toBe(200)
      expect((await app.sendQueuedEmails()).map(({ to }) => to.address)).toEqual([email])
    }
  })
})

describe('the email limit per address', () => {
  it('is six in 15 minutes for signups, and no signup is stored without an email', async () => {
    for (let n = 0; n < 8; n += 1)
      await signUp(makeClient(app), { email, password: `password ${n}` })
    expect(await app.sendQueuedEmails()).toHaveLength(6)
    await resendVerification(app, email)
    expect(await app.sendQueuedEmails()).toEqual([])
    expect(await readStatusAndCode(await tryLogin(app, email, 'password 5'))).toBe(
      '403 EMAIL_NOT_VERIFIED',
    )
    expect(await readStatusAndCode(await tryLogin(app, email, 'password 6'))).toBe(
      '401 INVALID_CREDENTIALS',
    )
    app.clock.advance(15 * minute)
    await resendVerification(app, email)
    expect(await app.sendQueuedEmails()).toHaveLength(1)
  })

  it('applies equally to the address of an existing account', async () => {
    await verifyEmail(app, await signUpForToken(app, { email }))
    app.clock.advance(15 * minute)
    for (let n = 0; n < 8; n += 1)
      await signUp(makeClient(app), { email, password: `password ${n}` })
    expect(await app.sendQueuedEmails()).toHaveLength(6)
    expect(await readStatusAndCode(await tryLogin(app, email, 'password 5'))).toBe(
      '403 EMAIL_NOT_VERIFIED',
    )
    expect(await readStatusAndCode(await tryLogin(app, email, 'password 6'))).toBe(
      '401 INVALID_CREDENTIALS',
    )
  })
})
