import { createContext, useContext } from 'react'

/** Carries what `createSignInAgain` made; without a provider nothing happens. */
export const SignInAgainContext = createContext<() => void>(() => undefined)

/**
 * What to call when the session turns out to be over. Queries and mutations do it by themselves
 * (see `createQueryClient`); whoever calls the server past them does it here.
 */
export function useSignInAgain(): () => void {
  return useContext(SignInAgainContext)
}
