import { nextPath, withNext } from '../../shared/rules/accounts/next-path.ts'
import { toast } from '../ui/toast.tsx'
import { isGuarded } from '../uploads/guard-page.ts'

/** How long the toast is shown before the login page opens (spec §9). */
const redirectDelayMs = 500

let isUnderWay = false

/**
 * Call this when the session has ended. Spec §8: shows a toast and goes to /api/login after 500 ms.
 * After signing in, the person comes back to the page. If several calls fail within these 500 ms,
 * only the first one shows a toast. While leaving the page would lose bytes of uploads, the page
 * stays open, and the toast says what to do.
 */
export function signInAgain(): void {
  if (isUnderWay) return
  isUnderWay = true
  const stays = isGuarded()
  toast({
    title: 'Unauthorized',
    description: stays
      ? 'You are logged out. Log in in another tab, and your uploads go on.'
      : 'You are logged out. Logging in again...',
    tone: 'destructive',
  })
  setTimeout(() => {
    isUnderWay = false
    const { pathname, search, hash } = window.location
    if (!stays) window.location.assign(withNext('/api/login', nextPath(pathname + search + hash)))
  }, redirectDelayMs)
}
