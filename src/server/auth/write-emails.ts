import { type TokenPurpose, tokenLifetimeMs } from '../../shared/rules/accounts/session-lifetime.ts'
import { timestampText } from '../../shared/rules/format/timestamp-text.ts'
import type { Deps } from '../deps.ts'
import {
  type EmailContent,
  emailToOwner,
  greetingName,
  type OutgoingEmail,
} from '../email/email.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import {
  accountDeletedEmail,
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

type AccountRequest = RequestOf<
  | 'forgot-password'
  | 'password-changed'
  | 'google-linked'
  | 'account-deleted'
  | 'signup'
  | 'resend-verification'
>

/**
 * Writes a requested email just before it is sent. Each attempt creates a new token. Earlier tokens
 * stay valid, because their emails may have arrived.
 * @returns null if the account or the signup no longer exists, or there is nothing to verify.
 */
export async function writeAccountEmail(
  deps: EmailDeps,
  request: AccountRequest,
): Promise<OutgoingEmail | null> {
  const { clock, db } = deps
  switch (request.kind) {
    case 'signup': {
      const signup = await findPendingSignup(db, request.signupId, clock())
      return signup ? signupEmail(deps, signup) : null
    }
    case 'resend-verification':
      return writeVerificationEmail(deps, request)
    case 'account-deleted':
      return writeDeletionEmail(deps, request)
    default: {
      const account =
        request.kind === 'forgot-password'
          ? await findAccountByEmail(db, request.email)
          : await findAccount(db, request.userId)
      return account ? emailToOwner(account, await writeContent(deps, account, request)) : null
    }
  }
}

function writeDeletionEmail(
  { config }: EmailDeps,
  request: RequestOf<'account-deleted'>,
): OutgoingEmail {
  const { email, isVerified, deletedAt } = request
  const content = accountDeletedEmail({
    ...request,
    deletedAt: timestampText(new Date(deletedAt)),
    supportEmail: config.supportEmail,
    privacyPage: `${config.appUrl.origin}/privacy#deletion`,
  })
  return { to: { name: '', address: email }, isVerified, content }
}

async function writeContent(
  deps: EmailDeps,
  account: Account,
  request: RequestOf<'forgot-password' | 'password-changed' | 'google-linked'>,
): Promise<EmailContent> {
  const details = { name: greetingName(account), email: account.email, ...getHelpDetails(deps) }
  switch (request.kind) {
    case 'forgot-password':
      return resetPasswordEmail({
        ...details,
        link: await createTokenLink(deps, account, 'reset-password'),
        askedAt: timestampText(new Date(request.askedAt)),
        hasPassword: account.passwordHash !== null,
      })
    case 'password-changed':
      return passwordChangedEmail({
        ...details,
        ...request,
        changedAt: timestampText(new Date(request.changedAt)),
      })
    case 'google-linked':
      return googleLinkedEmail({
        ...details,
        ...request,
        linkedAt: timestampText(new Date(request.linkedAt)),
      })
  }
}

/**
 * Writes the verification email for the pending signup or account with the id `subject`. If there
 * is none, it is for the email address's newest pending signup, or failing that, for its account.
 */
async function writeVerificationEmail(
  deps: EmailDeps,
  { email, subject, askedAt }: RequestOf<'resend-verification'>,
): Promise<OutgoingEmail | null> {
  const account = await findAccountByEmail(deps.db, email)
  if (account?.id !== subject) {
    const signup = await findSignupToResend(deps.db, email, subject, deps.clock())
    if (signup) return signupEmail(deps, signup)
  }
  if (!account || account.emailVerified) return null
  const link = await createTokenLink(deps, account, 'verify-email')
  const { loginPage } = getHelpDetails(deps)
  const requestTime = { askedAt: timestampText(new Date(askedAt)) }
  return emailToOwner(account, verifyAccountEmail({ email, link, loginPage, ...requestTime }))
}

/**
 * Writes the email for a signup. It contains a verification link, unless the email address has a
 * verified account. In that case it only notifies the owner.
 * @returns null if the signup no longer exists or is not allowed to create an account.
 */
async function signupEmail(deps: EmailDeps, signup: PendingSignup): Promise<OutgoingEmail | null> {
  const { clock, config, db } = deps
  const { id, email, browser, passwordHash } = signup
  const details = { email, browser, signedUpAt: timestampText(signup.createdAt) }
  const account = await findAccountByEmail(db, email)
  if (account?.emailVerified) {
    const { loginPage } = getHelpDetails(deps)
    return emailToOwner(
      account,
      addressTakenEmail({ ...details, name: account.firstName, loginPage }),
    )
  }
  // The administrator's address is reserved even before the administrator's account exists.
  if (email === config.adminEmail) return null

  const token = newToken()
  const expiresAt = new Date(clock().getTime() + tokenLifetimeMs['verify-email'])
  const isPending = await db.transaction(async (tx) => {
    // The signup must last as long as its link, even if the email is late. It no longer exists if
    // another signup with the address has been verified in the meantime.
    if (!(await extendPendingSignup(tx, id, expiresAt))) return false
    const stamp = credentialStamp({ email, passwordHash })
    const hash = tokenHash(token)
    await insertAccountToken(tx, { hash, signupId: id, purpose: 'verify-email', stamp, expiresAt })
    return true
  })
  if (!isPending) return null
  const content = verifySignupEmail({
    ...details,
    link: buildTokenLink(deps, 'verify-email', token),
  })
  return { to: { name: '', address: email }, isVerified: false, content }
}

/** Creates a token for an account. Returns the link that contains the token. */
async function createTokenLink(
  deps: EmailDeps,
  account: Account,
  purpose: TokenPurpose,
): Promise<string> {
  const token = newToken()
  await insertAccountToken(deps.db, {
    hash: tokenHash(token),
    userId: account.id,
    purpose,
    stamp: credentialStamp(account),
    expiresAt: new Date(deps.clock().getTime() + tokenLifetimeMs[purpose]),
  })
  return buildTokenLink(deps, purpose, token)
}

function buildTokenLink({ config }: EmailDeps, page: TokenPurpose, token: string): string {
  return `${config.appUrl.origin}/${page}?token=${token}`
}

function getHelpDetails({ config }: EmailDeps) {
  return { loginPage: `${config.appUrl.origin}/login`, supportEmail: config.supportEmail }
}
