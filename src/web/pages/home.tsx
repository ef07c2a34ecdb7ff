import { lazy } from 'react'
import { LeaveForLanding } from './leave-for-landing.tsx'
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
