import type { ToastOptions } from '../ui/toast-turns.ts'

/** Spec §9: login redirect delay. */
const redirectDelay = 500

/**
 * Makes the function for the moment in which the session turns out to be over: spec §8, a toast, and
 * /api/login after 500 ms. However many calls fail at once, it happens once. A page that holds what
 * would be lost with it stays, and says how to go on.
 */
export function createSignInAgain(
  toast: (options: ToastOptions) => void,
  later: (task: () => void, delay: number) => void,
  goTo: (address: string) => void,
  isHeld: () => boolean,
): () => void {
  let isUnderWay = false
  return () => {
    if (isUnderWay) return
    isUnderWay = true
    if (isHeld()) {
      toast({
        title: 'Unauthorized',
        description: 'You are logged out. Log in in another tab, and your uploads go on.',
        tone: 'destructive',
      })
      later(() => {
        isUnderWay = false
      }, redirectDelay)
      return
    }
    toast({
      title: 'Unauthorized',
      description: 'You are logged out. Logging in again...',
      tone: 'destructive',
    })
    later(() => goTo('/api/login'), redirectDelay)
  }
}
