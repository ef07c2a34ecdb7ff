import { lazy } from 'react'
import { LeaveForLanding } from './leave-for-landing.tsx'
import { pageImports } from './page-imports.ts'
import { SignedInScreen } from './screen-sets.tsx'

const Dashboard = lazy(pageImports.dashboard)

/**
 * The page at / for a signed-in user: the dashboard (spec §2). For a visitor the server has the
 * landing page there. A visitor gets here only with the hint of a session that has ended.
 */
export function Home() {
  return <SignedInScreen visitor={<LeaveForLanding />}>{() => <Dashboard />}</SignedInScreen>
}
