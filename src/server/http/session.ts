import type { Context } from 'hono'
import { type Role, readRole } from '../../shared/rules/role.ts'
import { readTier, type Tier } from '../../shared/rules/tier.ts'
import { effectiveTier } from '../../shared/rules/trial.ts'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import type { Deps } from '../deps.ts'
import type { HttpEnv } from './env.ts'

type AuthUser = Pick<Deps['auth']['$Infer']['Session']['user'], keyof SessionUser>

/** The signed-in user as use cases see it. `tier` is the tier that applies now. */
export interface SessionUser {
  id: string
  email: string
  name: string
  firstName: string
  role: Role
  tier: Tier
  premiumTrialStartedAt: Date | null
  premiumTrialEndsAt: Date | null
  image: string | null
}

/**
 * Returns the user of the request's session cookie, or null, by Better Auth. It extends a session
 * that is due, removes one that is over, and sets the cookies for that on the answer.
 */
export async function renewSession(
  { auth, clock }: Pick<Deps, 'auth' | 'clock'>,
  context: Context<HttpEnv>,
): Promise<SessionUser | null> {
  const { response, headers } = await auth.api.getSession({
    headers: context.req.raw.headers,
    returnHeaders: true,
  })
  setSessionCookies(context, headers)
  if (!response) return null

  return toSessionUser(response.user, clock())
}

/**
 * Passes the session's cookies on to the browser. Scripts cannot read them, so a second cookie
 * comes and goes with the session, without any right. If a page finds no such cookie, it need not
 * ask who is signed in.
 */
export function setSessionCookies(context: Context<HttpEnv>, from: Headers): void {
  for (const cookie of from.getSetCookie()) {
    context.header('set-cookie', cookie, { append: true })
    const [, maxAge] = /mayfly\.session_token=.*; Max-Age=(\d+)/i.exec(cookie) ?? []
    if (maxAge === undefined) continue
    const hint = `${signedInHint}=1; Max-Age=${maxAge}; Path=/; SameSite=Lax`
    context.header('set-cookie', hint, { append: true })
  }
}

/**
 * Turns a user of Better Auth into the user for use cases at `now`.
 * @throws {RangeError} for a tier or role that this program does not know.
 */
export function toSessionUser(user: AuthUser, now: Date): SessionUser {
  const trial = {
    premiumTrialStartedAt: user.premiumTrialStartedAt ?? null,
    premiumTrialEndsAt: user.premiumTrialEndsAt ?? null,
  }
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    firstName: user.firstName,
    role: readRole(user.role),
    tier: effectiveTier({ tier: readTier(user.tier), ...trial }, now),
    ...trial,
    image: user.image ?? null,
  }
}
