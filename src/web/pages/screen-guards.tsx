import { CloudOff } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import type { User } from '../../shared/contract/account.ts'
import { useAuthState } from '../auth/use-auth-state.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadingPage } from './loading-page.tsx'
import { Page } from './page.tsx'
import { signInAgain } from './sign-in-again.ts'

interface SignedInScreenProps {
  children: (user: User) => ReactNode
  /** Shown to visitors in place of a redirect to the login page. */
  visitor?: ReactNode
}

/**
 * A screen for signed-in users (spec §2). Shows a loading page until it is known whether the user
 * is signed in.
 */
export function SignedInScreen({ children, visitor }: SignedInScreenProps) {
  const auth = useAuthState()
  switch (auth.is) {
    case 'signed-in':
      return children(auth.user)
    case 'visitor':
      return visitor ?? <RedirectToLogin />
    case 'logged-out':
      return <RedirectToLogin />
    case 'loading':
      return <LoadingPage />
    case 'unreachable':
      return <UnreachablePage onRetry={auth.retry} pending={auth.isRetrying} />
  }
}

/** Spec §2: logged-out users see a toast and are redirected to /api/login. */
function RedirectToLogin() {
  useEffect(signInAgain, [])
  return <LoadingPage />
}

function UnreachablePage({ onRetry, pending }: { onRetry: () => void; pending: boolean }) {
  return (
    <Page title="Not reachable" centered>
      <h1 className="sr-only">Mayfly cannot be reached</h1>
      <EmptyState
        failed
        icon={<CloudOff />}
        title="Mayfly cannot be reached right now"
        action={
          <Button variant="primary" onClick={onRetry} pending={pending} pendingLabel="Trying...">
            Try again
          </Button>
        }
      >
        Your files and links are safe. Check your connection, or try again in a moment.
      </EmptyState>
    </Page>
  )
}
