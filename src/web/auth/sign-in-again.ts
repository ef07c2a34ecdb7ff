import { createContext, useContext } from 'react'
import { nextPath, withNext } from '../../shared/rules/accounts/next-path.ts'
import type { ToastOptions } from '../ui/toast.tsx'

/** How long the toast is shown before the login page opens (spec §9). */
const redirectDelayMs = 500

/**
 * Makes the function to call when the server says that the session has ended. Spec §8: it shows a
 * toast and goes to /api/login after 500 ms. After signing in, the person comes back to the page.
 * If several calls fail within these 500 ms, only the first one shows a toast.
 * @param here returns the path of the page, with its query and fragment.
 * @param isGuarded returns true while leaving the page would lose bytes of uploads. Then the page
 * stays open, and the toast says what to do.
 */
export function createSignInAgain(
  toast: (options: ToastOptions) => void,
  later: (task: () => void, delayMs: number) => void,
  goTo: (address: string) => void,
  here: () => string,
  isGuarded: () => boolean,
): () => void {
  let isUnderWay = false
  return () => {
    if (isUnderWay) return
    isUnderWay = true
    if (isGuarded()) {
      toast({
        title: 'Unauthorized',
        description: 'You are logged out. Log in in another tab, and your uploads go on.',
        tone: 'destructive',
      })
      later(() => {
        isUnderWay = false
      }, redirectDelayMs)
      return
    }
    toast({
      title: 'Unauthorized',
      description: 'You are logged out. Logging in again...',
      tone: 'destructive',
    })
    later(() => goTo(withNext('/api/login', nextPath(here()))), redirectDelayMs)
  }
}

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
