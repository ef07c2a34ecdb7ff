import type { ToastOptions } from '../ui/toast.tsx'

/** Spec §9: login redirect delay. */
const redirectDelay = 500

/**
 * Makes the function for the moment in which the session turns out to be over: spec §8, a toast, and
 * /api/login after 500 ms. However many calls fail at once, it happens once.
 */
export const createSignInAgain = (
  toast: (options: ToastOptions) => void,
  later: (task: () => void, delay: number) => void,
  goTo: (address: string) => void,
): (() => void) => {
  let leaving = false
  return () => {
    if (leaving) return
    leaving = true
    toast({
      title: 'Unauthorized',
      description: 'You are logged out. Logging in again...',
      tone: 'destructive',
    })
    later(() => goTo('/api/login'), redirectDelay)
  }
}
