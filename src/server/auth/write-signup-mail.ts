import { tokenLifetimeMs } from '../../shared/rules/accounts/token-purpose.ts'
import { momentText } from '../../shared/rules/format/moment-text.ts'
import type { Deps } from '../deps.ts'
import { type Addressed, recipientOf } from '../email/addressed.ts'
import { addressTakenLetter } from '../email/letters/address-taken.ts'
import { verifyAccountLetter, verifyEmailLetter } from '../email/letters/verify-email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { admitLetter } from './letter-limits.ts'
import { type Account, findAccountByEmail, insertAccountToken, lockAddress } from './queries.ts'
import { credentialStamp, newToken, tokenHash } from './secrets.ts'
import {
  extendPendingSignup,
  findPendingSignup,
  findSignupToResend,
  limitPendingSignups,
  type PendingSignup,
  removePendingSignup,
} from './signup-queries.ts'

type SignupMailDeps = Pick<Deps, 'clock' | 'config' | 'db'>
type RequestOf<Kind extends MailRequest['kind']> = Extract<MailRequest, { kind: Kind }>

/**
 * Writes the email for a new signup. Returns null if the signup does not exist any more, or if no
 * email is to be sent for it. If the address has got too many emails, the signup is removed,
 * because its link would reach nobody.
 */
export async function writeSignupLetter(
  deps: SignupMailDeps,
  { signupId }: RequestOf<'signup'>,
  { isRepeated }: { isRepeated: boolean },
): Promise<Addressed | null> {
  const signup = await findPendingSignup(deps.db, signupId, deps.clock())
  if (!signup) return null
  if (!isRepeated) {
    const { email } = signup
    if (!(await admitLetter(deps, { email, kind: 'signup' }))) {
      await removePendingSignup(deps.db, signupId)
      return null
    }
    await deps.db.transaction(async (tx) => {
      await lockAddress(tx, email)
      await limitPendingSignups(tx, email)
    })
  }
  return letterOf(deps, signup)
}

/**
 * Writes the email of a signup again. `subject` is the id of the signup or of the account. Without
 * such a signup, it takes the newest one of the address. If no signup waits, or `subject` is the
 * account, the email verifies the account. Returns null if there is nothing to verify, or too many
 * emails were sent.
 */
export async function writeResentLetter(
  deps: SignupMailDeps,
  { email, subject, askedAt }: RequestOf<'resend-verification'>,
  { isRepeated }: { isRepeated: boolean },
): Promise<Addressed | null> {
  const account = await findAccountByEmail(deps.db, email)
  const namesAccount = account !== undefined && account.id === subject
  const signup = namesAccount
    ? undefined
    : await findSignupToResend(deps.db, email, subject, deps.clock())
  if (!signup && (!account || account.emailVerified)) return null
  if (!isRepeated && !(await admitLetter(deps, { email, kind: 'signup' }))) return null
  if (signup) return letterOf(deps, signup)
  return account ? letterToAccount(deps, account, new Date(askedAt)) : null
}

/**
 * Writes the email that a signup causes. If its address has a verified account, the email tells the
 * owner about the signup, and the signup gets no link. Otherwise the email has the link that
 * verifies the address. Returns null if the signup is gone, or no account may be made by it.
 */
async function letterOf(deps: SignupMailDeps, signup: PendingSignup): Promise<Addressed | null> {
  const { clock, config, db } = deps
  const { id, email, browser, passwordHash } = signup
  const signedUpAt = momentText(signup.createdAt)
  const account = await findAccountByEmail(db, email)
  if (account?.emailVerified) {
    const { firstName: name } = account
    const loginPage = `${config.appUrl.origin}/login`
    const content = addressTakenLetter({ name, email, signedUpAt, browser, loginPage })
    return { to: recipientOf(account), content }
  }
  // The administrator's address is taken even before that account exists.
  if (email === config.adminEmail) return null

  const token = newToken()
  const expiresAt = new Date(clock().getTime() + tokenLifetimeMs['verify-email'])
  const waits = await db.transaction(async (tx) => {
    // The signup may be gone, because another signup of the address was verified meanwhile. If it
    // still exists, it must wait until this email arrives, even if it is late.
    if (!(await extendPendingSignup(tx, id, expiresAt))) return false
    const stamp = credentialStamp({ email, passwordHash })
    const hash = tokenHash(token)
    await insertAccountToken(tx, { hash, signupId: id, purpose: 'verify-email', stamp, expiresAt })
    return true
  })
  if (!waits) return null
  const link = verifyLink(deps, token)
  return {
    to: { name: '', address: email },
    content: verifyEmailLetter({ email, link, signedUpAt, browser }),
  }
}

async function letterToAccount(
  deps: SignupMailDeps,
  account: Account,
  askedAt: Date,
): Promise<Addressed> {
  const { clock, config, db } = deps
  const { email, id: userId } = account
  const token = newToken()
  await insertAccountToken(db, {
    hash: tokenHash(token),
    userId,
    purpose: 'verify-email',
    stamp: credentialStamp(account),
    expiresAt: new Date(clock().getTime() + tokenLifetimeMs['verify-email']),
  })
  return {
    to: recipientOf(account),
    content: verifyAccountLetter({
      email,
      link: verifyLink(deps, token),
      askedAt: momentText(askedAt),
      loginPage: `${config.appUrl.origin}/login`,
    }),
  }
}

function verifyLink({ config }: SignupMailDeps, token: string): string {
  return `${config.appUrl.origin}/verify-email?token=${token}`
}
