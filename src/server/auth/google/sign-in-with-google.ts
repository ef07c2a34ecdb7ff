import type { Deps } from '../../deps.ts'
import { newToken } from '../account-token.ts'
import { newSession, sessionHeaders } from '../new-session.ts'
import { endSession, insertSession } from '../session-queries.ts'
import { findOrMakeUser } from './find-or-make-user.ts'
import type { Identity } from './identity.ts'

interface GoogleClient {
  address: string
  headers: Headers
  /** The token of the session that the browser had before this sign-in. null: it had none. */
  sessionBefore: string | null
}

/**
 * Opens a session for the person whom the issuer has identified, and ends the session that the
 * browser had before. The account, its link with Google and the session are made together or not at
 * all, while the user's row is locked. So a request that removes Google, ends sessions or deletes
 * the user runs completely before or completely after.
 * @throws {SignInRefused} as `findOrMakeUser` does.
 */
export async function signInWithGoogle(
  deps: Pick<Deps, 'clock' | 'config' | 'db' | 'mailQueue'>,
  identity: Identity,
  { address, headers, sessionBefore }: GoogleClient,
): Promise<{ token: string; createdAt: Date }> {
  return deps.db.transaction(async (tx) => {
    const userId = await findOrMakeUser(tx, { ...deps, address }, identity)
    const token = newToken()
    const session = newSession(sessionHeaders(headers, address), deps.clock())
    await insertSession(tx, { userId, token, ...session })
    if (sessionBefore !== null) await endSession(tx, sessionBefore)
    return { token, createdAt: session.createdAt }
  })
}
