import { createContext, useContext } from 'react'

/**
 * Provides the function of `createSignInAgain` to components. Without a provider it does nothing.
 */
export const SignInAgainContext = createContext<() => void>(() => undefined)

/**
 * Returns the function to call when the server says that the session has ended. Queries and
 * mutations call it by themselves (see `createQueryClient`). Other code that calls the server must
 * call this function too.
 */
export function useSignInAgain(): () => void {
  return useContext(SignInAgainContext)
}
