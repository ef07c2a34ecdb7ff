import { tokenLifetimeMs } from '../../shared/rules/accounts/token-purpose.ts'
import { momentText } from '../../shared/rules/format/moment-text.ts'
import type { Deps } from '../deps.ts'
import { type Addressed, nameOf, recipientOf } from '../email/addressed.ts'
import { googleLinkedLetter } from '../email/letters/google-linked.ts'
import { passwordChangedLetter } from '../email/letters/password-changed.ts'
import { resetPasswordLetter } from '../email/letters/reset-password.ts'
import type { MailRequest, SupportLetter } from '../email/mail-queue.ts'
import { admitLetter } from './letter-limits.ts'
import { type Account, findAccount, findAccountByEmail, insertAccountToken } from './queries.ts'
import { credentialStamp, newToken, tokenHash } from './secrets.ts'
import { writeResentLetter, writeSignupLetter } from './write-signup-mail.ts'

type AccountMailDeps = Pick<Deps, 'clock' | 'config' | 'db'>

/** A request for mail about an account. */
type AccountMail = Exclude<MailRequest, { kind: 'trial' | 'files' | 'takedown' | SupportLetter }>

/**
 * Writes the email that a request asks for, at the time when it is sent. Returns null if the
 * account or the signup does not exist (any more), if its address is verified already and needs no
 * link, or if the address has already got as many emails as the limit allows. Each attempt to send
 * makes a new token for the link in the email. The tokens of earlier attempts work as well, because
 * those emails may have arrived.
 * @param isRepeated true when an earlier attempt has counted the email but could not send it. Then
 * the email is not counted again.
 */
export async function writeAccountMail(
  deps: AccountMailDeps,
  request: AccountMail,
  { isRepeated }: { isRepeated: boolean },
): Promise<Addressed | null> {
  switch (request.kind) {
    case 'forgot-password': {
      const { email } = request
      const account = await findAccountByEmail(deps.db, email)
      if (!account) return null
      const isAdmitted = isRepeated || (await admitLetter(deps, { email, kind: 'reset-password' }))
      return isAdmitted ? resetLetter(deps, account, new Date(request.askedAt)) : null
    }
    case 'password-changed': {
      const account = await findAccount(deps.db, request.userId)
      return account ? changedLetter(deps, account, request) : null
    }
    case 'google-linked': {
      const account = await findAccount(deps.db, request.userId)
      return account ? linkedLetter(deps, account, request) : null
    }
    case 'signup':
      return writeSignupLetter(deps, request, { isRepeated })
    case 'resend-verification':
      return writeResentLetter(deps, request, { isRepeated })
  }
}

async function resetLetter(
  deps: AccountMailDeps,
  account: Account,
  askedAt: Date,
): Promise<Addressed> {
  const token = newToken()
  await insertAccountToken(deps.db, {
    hash: tokenHash(token),
    userId: account.id,
    purpose: 'reset-password',
    stamp: credentialStamp(account),
    expiresAt: new Date(deps.clock().getTime() + tokenLifetimeMs['reset-password']),
  })
  return {
    to: recipientOf(account),
    content: resetPasswordLetter({
      name: nameOf(account),
      email: account.email,
      link: `${deps.config.appUrl.origin}/reset-password?token=${token}`,
      askedAt: momentText(askedAt),
      hasPassword: account.passwordHash !== null,
    }),
  }
}

function changedLetter(
  { config }: AccountMailDeps,
  account: Account,
  { changedAt, changedBy, removedGoogle }: Extract<MailRequest, { kind: 'password-changed' }>,
): Addressed {
  return {
    to: recipientOf(account),
    content: passwordChangedLetter({
      name: nameOf(account),
      email: account.email,
      changedAt: momentText(new Date(changedAt)),
      changedBy,
      removedGoogle,
      loginPage: `${config.appUrl.origin}/login`,
      supportEmail: config.supportEmail,
    }),
  }
}

function linkedLetter(
  { config }: AccountMailDeps,
  account: Account,
  { linkedAt, tookOver }: { linkedAt: string; tookOver: boolean },
): Addressed {
  return {
    to: recipientOf(account),
    content: googleLinkedLetter({
      name: nameOf(account),
      email: account.email,
      linkedAt: momentText(new Date(linkedAt)),
      tookOver,
      loginPage: `${config.appUrl.origin}/login`,
      supportEmail: config.supportEmail,
    }),
  }
}
