import { nextPath, withNext } from '../../shared/rules/accounts/next-path.ts'
import { toast } from '../ui/toast.tsx'
import { isUnloadBlocked } from '../uploads/block-unload.ts'

/** How long the toast is shown before the login page opens (spec §9). */
const redirectDelayMs = 500

let isInProgress = false

/**
 * Called when the session has ended: shows a toast and opens /api/login after 500 ms (spec §8).
 * Signing in returns to the current page. Further calls within the 500 ms are ignored. If leaving
 * would lose uploaded bytes, the page stays open and the toast explains what to do.
 */
export function signInAgain(): void {
  if (isInProgress) return
  isInProgress = true
  const shouldStayOpen = isUnloadBlocked()
  toast({
    title: 'Unauthorized',
    description: shouldStayOpen
      ? 'You are logged out. Log in in another tab to resume your uploads.'
      : 'You are logged out. Logging in again...',
    tone: 'destructive',
  })
  setTimeout(() => {
    isInProgress = false
    const { pathname, search, hash } = window.location
    if (!shouldStayOpen)
      window.location.assign(withNext('/api/login', nextPath(pathname + search + hash)))
  }, redirectDelayMs)
}
