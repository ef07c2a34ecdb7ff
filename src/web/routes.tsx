import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { dropHint, readHint } from './api/hint-cookie.ts'
import { LoadingPage } from './pages/loading-page.tsx'
import { pageImports } from './pages/page-imports.ts'
import { type PagePath, Preload } from './pages/page-link.tsx'
import { SignedInScreen } from './pages/screen-sets.tsx'

/**
 * The screens of spec §2 that this application draws, by their paths, which are those of
 * `shared/pages.ts`. The server answers these paths with this application. Only at `/`, a visitor
 * gets the landing page instead. The server itself makes all other pages: the other public pages,
 * /s/{shortCode}, /download/{shortCode} and the page for unknown paths.
 */
const screens: Record<PagePath, ComponentType> = {
  '/': Home,
  '/login': lazy(pageImports.login),
  '/signup': lazy(pageImports.signup),
  '/account': lazy(pageImports.account),
  '/admin': lazy(pageImports.admin),
  '/verify-email': lazy(pageImports.verifyEmail),
  '/reset-password': lazy(pageImports.resetPassword),
}

const importOf: Record<PagePath, () => Promise<unknown>> = {
  '/': pageImports.dashboard,
  '/login': pageImports.login,
  '/signup': pageImports.signup,
  '/account': pageImports.account,
  // When this page is opened, it checks who opens it, and then loads the Admin Center. The preload
  // fetches the page and the Admin Center at once. A link to the page starts the preload, and only
  // the administrator sees such a link.
  '/admin': () => Promise.all([pageImports.admin(), import('./admin/admin-center.tsx')]),
  '/verify-email': pageImports.verifyEmail,
  '/reset-password': pageImports.resetPassword,
}

/** A failed preload is ignored here. The failure shows when the screen is opened. */
function preload(path: PagePath) {
  importOf[path]().catch(() => undefined)
}

/** Shows the screen for the current path. */
export function Routes() {
  return (
    <Preload value={preload}>
      <Suspense fallback={<LoadingPage />}>
        <Switch>
          {Object.entries(screens).map(([path, screen]) => (
            <Route key={path} path={path} component={screen} />
          ))}
        </Switch>
      </Suspense>
    </Preload>
  )
}

const Dashboard = lazy(pageImports.dashboard)

/**
 * The page at / for a signed-in user: the dashboard (spec §2). Visitors normally get the landing
 * page from the server. A visitor gets this page only if the browser still hints that somebody is
 * signed in, although the session has ended.
 */
function Home() {
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
