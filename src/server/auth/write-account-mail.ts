import { momentText } from '../../shared/rules/moment-text.ts'
import { tokenLifetimeMs } from '../../shared/rules/token-purpose.ts'
import type { Deps } from '../deps.ts'
import { type Addressed, nameOf, recipientOf } from '../email/addressed.ts'
import { googleLinkedLetter } from '../email/letters/google-linked.ts'
import { passwordChangedLetter } from '../email/letters/password-changed.ts'
import { resetPasswordLetter } from '../email/letters/reset-password.ts'
import type { MailRequest } from '../email/mail-queue.ts'
import { credentialStamp, newToken, tokenHash } from './account-token.ts'
import {
  type Credentials,
  countAccountTokens,
  findCredentials,
  findCredentialsByEmail,
  insertAccountToken,
} from './queries.ts'

type MailDeps = Pick<Deps, 'clock' | 'config' | 'db'>

/**
 * The most letters with a link of one kind that an account gets within the window, however often a
 * client asks.
 */
const maxLettersInWindow = 3
const floodWindowMs = 15 * 60 * 1000

/** A request for mail about an account. */
type AccountMail = Exclude<MailRequest, { kind: 'trial' }>

/**
 * Writes the mail that a request asks for, at the time it is sent. Returns null if there is no such
 * account (any more). Each try makes a new token for a letter with a link. The tokens of earlier
 * tries work as well, because those letters may have arrived.
 * @param isRepeated true when an earlier try accepted the request and could not send the letter.
 * The tokens of such tries do not count as a flood.
 */
export async function writeAccountMail(
  deps: MailDeps,
  request: AccountMail,
  { isRepeated }: { isRepeated: boolean },
): Promise<Addressed | null> {
  switch (request.kind) {
    case 'forgot-password': {
      const account = await findCredentialsByEmail(deps.db, request.email)
      if (!account) return null
      if (!isRepeated && (await hasEnoughLetters(deps, account))) return null
      return resetLetter(deps, account, new Date(request.askedAt))
    }
    case 'password-changed': {
      const account = await findCredentials(deps.db, request.userId)
      return account ? changedLetter(deps, account, request) : null
    }
    case 'google-linked': {
      const account = await findCredentials(deps.db, request.userId)
      return account ? linkedLetter(deps, account, request) : null
    }
  }
}

/**
 * Whether the account has enough letters already. The client that asks for one more is not told.
 */
async function hasEnoughLetters({ clock, db }: MailDeps, { userId }: Credentials) {
  const lifetime = tokenLifetimeMs['reset-password']
  const since = new Date(clock().getTime() - floodWindowMs + lifetime)
  return (await countAccountTokens(db, 'reset-password', userId, since)) >= maxLettersInWindow
}

async function resetLetter(
  deps: MailDeps,
  account: Credentials,
  askedAt: Date,
): Promise<Addressed> {
  const token = newToken()
  await insertAccountToken(deps.db, {
    hash: tokenHash(token),
    userId: account.userId,
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
    }),
  }
}

function changedLetter(
  { config }: MailDeps,
  account: Credentials,
  { changedAt, changedBy }: Extract<MailRequest, { kind: 'password-changed' }>,
): Addressed {
  return {
    to: recipientOf(account),
    content: passwordChangedLetter({
      name: nameOf(account),
      email: account.email,
      changedAt: momentText(new Date(changedAt)),
      changedBy,
      loginPage: `${config.appUrl.origin}/login`,
      supportEmail: config.supportEmail,
    }),
  }
}

function linkedLetter(
  { config }: MailDeps,
  account: Credentials,
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
