/** What the login page says about an account that has just been created. */
export interface NewAccount {
  email: string
  /** True if the account isn't created until the user opens the link in the email. */
  requiresVerification: boolean
}

const storageKey = 'mayfly-new-account'

/** Passes an account on to the login page, which opens next. */
export function storeNewAccount(account: NewAccount): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(account))
  } catch {
    // sessionStorage is blocked or full, so the login page says nothing about the account.
  }
}

/**
 * Returns the account that the signup page has created, or null. It is kept in the history state
 * from then on, so that it survives reloads but doesn't show up on later visits.
 */
export function takeNewAccount(): NewAccount | null {
  try {
    const json = sessionStorage.getItem(storageKey)
    sessionStorage.removeItem(storageKey)
    if (json !== null) history.replaceState(JSON.parse(json), '')
  } catch {
    // sessionStorage is blocked.
  }
  return readNewAccount(history.state)
}

/** An older version of the page may have written the state. */
export function readNewAccount(state: unknown): NewAccount | null {
  const { email, requiresVerification }: Partial<NewAccount> = Object(state)
  const isAccount = typeof email === 'string' && typeof requiresVerification === 'boolean'
  return isAccount ? { email, requiresVerification } : null
}
