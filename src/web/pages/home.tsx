import { lazy } from 'react'
import { pageImports } from './page-imports.ts'
import { SignedInScreen } from './screen-sets.tsx'

const Dashboard = lazy(pageImports.dashboard)
const FrontPage = lazy(pageImports.front)

/** The page at /: the dashboard for a signed-in user, the front page for visitors (spec §2). */
export function Home() {
  return <SignedInScreen visitor={<FrontPage />}>{() => <Dashboard />}</SignedInScreen>
}
