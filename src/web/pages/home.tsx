import { CloudOff } from 'lucide-react'
import { lazy, useEffect, useState } from 'react'
import { useCurrentUser } from '../api/use-current-user.ts'
import { useSignInAgain } from '../auth/use-sign-in-again.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { LoadingPage } from './loading-page.tsx'
import { Page } from './page.tsx'
import { pageImports } from './page-imports.ts'

const Dashboard = lazy(pageImports.dashboard)
const FrontPage = lazy(pageImports.front)

function Unreachable({ onRetry, pending }: { onRetry: () => void; pending: boolean }) {
  return (
    <Page title="Not reachable" centred>
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
        Your files and links are where they were. Check your connection, or try again in a moment.
      </EmptyState>
    </Page>
  )
}

/** The page at /: the dashboard for a signed-in user, the front page for visitors (spec §2). */
export function Home() {
  const { data: user, isPending, isFetching, errorUpdateCount, refetch } = useCurrentUser()
  const signInAgain = useSignInAgain()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (user && !wasSignedIn) setWasSignedIn(true)

  // Spec §2: a logged-out user on the dashboard is shown a toast and redirected to /api/login.
  const loggedOut = wasSignedIn && user === null
  useEffect(() => {
    if (loggedOut) signInAgain()
  }, [loggedOut, signInAgain])

  // The failure screen stays while the user is requested again.
  const first = isPending && errorUpdateCount === 0
  if (first || loggedOut) return <LoadingPage />
  if (user === undefined) return <Unreachable onRetry={() => refetch()} pending={isFetching} />
  return user ? <Dashboard /> : <FrontPage />
}
