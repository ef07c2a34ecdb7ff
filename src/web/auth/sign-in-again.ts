import { nextPath, withNext } from '../../shared/rules/next-path.ts'
import type { ToastOptions } from '../ui/toast-turns.ts'

/** Spec §9: login redirect delay. */
const redirectDelay = 500

/**
 * Makes the function to call when the session turns out to be over. Spec §8: it shows a toast and
 * goes to /api/login after 500 ms, from where signing in leads back to the page. It acts once,
 * however many calls fail at the same time. A page that would lose unsaved data stays open, and the
 * toast says how to go on.
 * @param here returns the path of the page, with its query and fragment.
 */
export function createSignInAgain(
  toast: (options: ToastOptions) => void,
  later: (task: () => void, delay: number) => void,
  goTo: (address: string) => void,
  here: () => string,
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
    later(() => goTo(withNext('/api/login', nextPath(here()))), redirectDelay)
  }
}
