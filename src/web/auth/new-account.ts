import { z } from 'zod'

const newAccount = z.object({
  email: z.string(),
  /** True if the account begins to exist only when somebody opens the link in its email. */
  requiresVerification: z.boolean(),
})

/** What the signup page tells the login page about the account that was just made. */
export type NewAccount = z.infer<typeof newAccount>

/**
 * Returns the account in a state of the browser's history; null if the state holds none. The
 * browser keeps that state when the page is loaded again, so an older version of this program may
 * have written it.
 */
export function readNewAccount(state: unknown): NewAccount | null {
  return newAccount.safeParse(state).data ?? null
}
