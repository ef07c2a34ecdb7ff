import { type TokenPurpose, tokenLifetimeMs } from '../../shared/rules/accounts/session-life.ts'
import { momentText } from '../../shared/rules/format/moment-text.ts'
import type { Deps } from '../deps.ts'
import { emailToOwner, nameOf, type OutgoingEmail } from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import {
  addressTakenEmail,
  googleLinkedEmail,
  passwordChangedEmail,
  resetPasswordEmail,
  verifyAccountEmail,
  verifySignupEmail,
} from '../email/templates/account.ts'
import { type Account, findAccount, findAccountByEmail, insertAccountToken } from './queries.ts'
import { credentialStamp, newToken, tokenHash } from './secrets.ts'
import {
  extendPendingSignup,
  findPendingSignup,
  findSignupToResend,
  type PendingSignup,
} from './signup-queries.ts'

type EmailDeps = Pick<Deps, 'clock' | 'config' | 'db'>
type RequestOf<Kind extends MailRequest['kind']> = Extract<MailRequest, { kind: Kind }>

/** A request for an email about an account or a signup. */
type AccountRequest = RequestOf<
  'forgot-password' | 'password-changed' | 'google-linked' | 'signup' | 'resend-verification'
>

/**
 * Writes the email that a request asks for, at the time when it is sent. Returns null if the
 * account or the signup doesn't exist (any more), or if there is nothing to verify. Each attempt to
 * send makes a new token for the link. The tokens of earlier attempts work as well, because those
 * emails may have arrived.
 */
export async function writeAccountEmail(
  deps: EmailDeps,
  request: AccountRequest,
): Promise<OutgoingEmail | null> {
  const { clock, db } = deps
  switch (request.kind) {
    case 'forgot-password': {
      const account = await findAccountByEmail(db, request.email)
      return account ? resetEmail(deps, account, request) : null
    }
    case 'password-changed': {
      const account = await findAccount(db, request.userId)
      return account ? changedEmail(deps, account, request) : null
    }
    case 'google-linked': {
      const account = await findAccount(db, request.userId)
      return account ? linkedEmail(deps, account, request) : null
    }
    case 'signup': {
      const signup = await findPendingSignup(db, request.signupId, clock())
      return signup ? signupEmail(deps, signup) : null
    }
    case 'resend-verification':
      return resentEmail(deps, request)
  }
}

/**
 * Writes the verification email again. `subject` is the id of the signup or of the account. Without
 * such a signup, it takes the newest one of the address. If no signup is pending, or `subject` is
 * the account, the email verifies the account.
 */
async function resentEmail(
  deps: EmailDeps,
  { email, subject, askedAt }: RequestOf<'resend-verification'>,
): Promise<OutgoingEmail | null> {
  const account = await findAccountByEmail(deps.db, email)
  if (account?.id !== subject) {
    const signup = await findSignupToResend(deps.db, email, subject, deps.clock())
    if (signup) return signupEmail(deps, signup)
  }
  if (!account || account.emailVerified) return null
  const link = await addLink(deps, account, 'verify-email')
  const { loginPage } = helpOf(deps)
  const times = { askedAt: momentText(new Date(askedAt)) }
  return emailToOwner(account, verifyAccountEmail({ email, link, loginPage, ...times }))
}

/**
 * Writes the email that a signup causes. If its address has a verified account, the email tells the
 * owner about the signup, and the signup gets no link. Otherwise the email has the link that
 * verifies the address. Returns null if the signup is gone, or no account may be made by it.
 */
async function signupEmail(deps: EmailDeps, signup: PendingSignup): Promise<OutgoingEmail | null> {
  const { clock, config, db } = deps
  const { id, email, browser, passwordHash } = signup
  const facts = { email, browser, signedUpAt: momentText(signup.createdAt) }
  const account = await findAccountByEmail(db, email)
  if (account?.emailVerified) {
    const { loginPage } = helpOf(deps)
    return emailToOwner(
      account,
      addressTakenEmail({ ...facts, name: account.firstName, loginPage }),
    )
  }
  // The administrator's address is taken even before that account exists.
  if (email === config.adminEmail) return null

  const token = newToken()
  const expiresAt = new Date(clock().getTime() + tokenLifetimeMs['verify-email'])
  const isPending = await db.transaction(async (tx) => {
    // The signup may be gone, because another signup of the address was verified meanwhile. If it
    // still exists, it must last until this email arrives, even if that is late.
    if (!(await extendPendingSignup(tx, id, expiresAt))) return false
    const stamp = credentialStamp({ email, passwordHash })
    const hash = tokenHash(token)
    await insertAccountToken(tx, { hash, signupId: id, purpose: 'verify-email', stamp, expiresAt })
    return true
  })
  if (!isPending) return null
  const content = verifySignupEmail({ ...facts, link: linkOf(deps, 'verify-email', token) })
  return { to: { name: '', address: email }, isVerified: false, content }
}

async function resetEmail(
  deps: EmailDeps,
  account: Account,
  { askedAt }: RequestOf<'forgot-password'>,
): Promise<OutgoingEmail> {
  const content = resetPasswordEmail({
    name: nameOf(account),
    email: account.email,
    link: await addLink(deps, account, 'reset-password'),
    askedAt: momentText(new Date(askedAt)),
    hasPassword: account.passwordHash !== null,
  })
  return emailToOwner(account, content)
}

function changedEmail(
  deps: EmailDeps,
  account: Account,
  { changedAt, changedBy, removedGoogle }: RequestOf<'password-changed'>,
): OutgoingEmail {
  const content = passwordChangedEmail({
    name: nameOf(account),
    email: account.email,
    changedAt: momentText(new Date(changedAt)),
    changedBy,
    removedGoogle,
    ...helpOf(deps),
  })
  return emailToOwner(account, content)
}

function linkedEmail(
  deps: EmailDeps,
  account: Account,
  { linkedAt, tookOver }: RequestOf<'google-linked'>,
): OutgoingEmail {
  const content = googleLinkedEmail({
    name: nameOf(account),
    email: account.email,
    linkedAt: momentText(new Date(linkedAt)),
    tookOver,
    ...helpOf(deps),
  })
  return emailToOwner(account, content)
}

/** Adds a token for an account. Returns the link with it. */
async function addLink(deps: EmailDeps, account: Account, purpose: TokenPurpose): Promise<string> {
  const token = newToken()
  await insertAccountToken(deps.db, {
    hash: tokenHash(token),
    userId: account.id,
    purpose,
    stamp: credentialStamp(account),
    expiresAt: new Date(deps.clock().getTime() + tokenLifetimeMs[purpose]),
  })
  return linkOf(deps, purpose, token)
}

function linkOf({ config }: EmailDeps, page: TokenPurpose, token: string): string {
  return `${config.appUrl.origin}/${page}?token=${token}`
}

function helpOf({ config }: EmailDeps) {
  return { loginPage: `${config.appUrl.origin}/login`, supportEmail: config.supportEmail }
}
