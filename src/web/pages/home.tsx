import { lazy, useEffect } from 'react'
import { dropHint, readHint } from '../api/hint-cookie.ts'
import { LoadingPage } from './loading-page.tsx'
import { pageImports } from './page-imports.ts'
import { SignedInScreen } from './screen-sets.tsx'

const Dashboard = lazy(pageImports.dashboard)

/**
 * The page at / for a signed-in user: the dashboard (spec §2). Visitors normally get the landing
 * page from the server. A visitor gets this page only if the browser still hints that somebody is
 * signed in, although the session has ended.
 */
export function Home() {
  return <SignedInScreen visitor={<LeaveForLanding />}>{() => <Dashboard />}</SignedInScreen>
}

/**
 * Loads the landing page from the server. It is for a visitor whose browser still hints that
 * somebody is signed in, although the session has ended. So it first removes the hint.
 */
function LeaveForLanding() {
  useEffect(() => {
    const hint = readHint(document)
    if (hint !== null) dropHint(document, hint)
    // If the browser has not removed the hint, the server would answer / with this application
    // again. The login page avoids this loop.
    window.location.replace(readHint(document) === null ? '/' : '/login')
  }, [])
  return <LoadingPage />
}
