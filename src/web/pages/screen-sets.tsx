import { type ReactNode, useEffect } from 'react'
import type { User } from '../../shared/contract/account.ts'
import { useAuthState } from '../auth/use-auth-state.ts'
import { useNext } from '../auth/use-next.ts'
import { useSignInAgain } from '../auth/use-sign-in-again.ts'
import { LoadingPage } from './loading-page.tsx'
import { UnreachablePage } from './unreachable-page.tsx'

interface SignedInScreenProps {
  children: (user: User) => ReactNode
  /** What a visitor sees at this path. Without it a visitor is led to the login. */
  visitor?: ReactNode
}

/**
 * A screen for whoever is signed in (spec §2). Until it is known who looks, it shows neither this
 * screen nor another one.
 */
export function SignedInScreen({ children, visitor }: SignedInScreenProps) {
  const auth = useAuthState()
  switch (auth.is) {
    case 'signed-in':
      return children(auth.user)
    case 'visitor':
      return visitor ?? <LeadToLogin />
    case 'logged-out':
      return <LeadToLogin />
    case 'loading':
      return <LoadingPage />
    case 'unreachable':
      return <UnreachablePage onRetry={auth.retry} pending={auth.isRetrying} />
  }
}

/** Spec §2: a logged-out user is shown a toast and redirected to /api/login. */
function LeadToLogin() {
  const signInAgain = useSignInAgain()
  useEffect(signInAgain, [signInAgain])
  return <LoadingPage />
}

/**
 * A screen for signing in or up. Whoever is signed in already goes where signing in would have led.
 * Where the server does not say who looks, the form stays usable.
 */
export function VisitorScreen({ children }: { children: ReactNode }) {
  const auth = useAuthState()
  if (auth.is === 'signed-in') return <GoOn />
  return auth.is === 'loading' ? <LoadingPage /> : children
}

/** Loads the next page anew, because it may be one that the server itself answers, such as a link. */
function GoOn() {
  const next = useNext()
  useEffect(() => window.location.replace(next), [next])
  return <LoadingPage />
}
