import { createContext, useContext } from 'react'

/** Carries the function of `createSignInAgain`. Without a provider it does nothing. */
export const SignInAgainContext = createContext<() => void>(() => undefined)

/**
 * Returns the function to call when the session turns out to be over. Queries and mutations call it
 * by themselves (see `createQueryClient`). Other code that calls the server must call this function
 * too.
 */
export function useSignInAgain(): () => void {
  return useContext(SignInAgainContext)
}
