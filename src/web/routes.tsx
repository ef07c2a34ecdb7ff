import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { dropHint, readHint } from './api/hint-cookie.ts'
import { useCurrentUser } from './api/use-current-user.ts'
import { LoadingPage } from './pages/loading-page.tsx'
import type { PagePath } from './pages/page-link.tsx'
import { SignedInScreen } from './pages/screen-sets.tsx'

/**
 * The screens of spec §2 that this application draws, by their paths, which are those of
 * `shared/pages.ts`. The server answers these paths with this application. Only at `/`, a visitor
 * gets the landing page instead. The server itself makes all other pages: the other public pages,
 * /s/{shortCode}, /download/{shortCode} and the page for unknown paths.
 */
const screens: Record<PagePath, ComponentType> = {
  '/': Home,
  '/login': lazy(() => import('./pages/login-page.tsx').then((it) => ({ default: it.LoginPage }))),
  '/signup': lazy(() =>
    import('./pages/signup-page.tsx').then((it) => ({ default: it.SignupPage })),
  ),
  '/account': lazy(() =>
    import('./pages/account-page.tsx').then((it) => ({ default: it.AccountPage })),
  ),
  '/admin': lazy(() => import('./pages/admin-page.tsx').then((it) => ({ default: it.AdminPage }))),
  '/verify-email': lazy(() =>
    import('./pages/verify-email-page.tsx').then((it) => ({ default: it.VerifyEmailPage })),
  ),
  '/reset-password': lazy(() =>
    import('./pages/reset-password-page.tsx').then((it) => ({ default: it.ResetPasswordPage })),
  ),
}

/** Shows the screen for the current path. */
export function Routes() {
  return (
    <Suspense fallback={<LoadingPage />}>
      <Switch>
        {Object.entries(screens).map(([path, screen]) => (
          <Route key={path} path={path} component={screen} />
        ))}
      </Switch>
    </Suspense>
  )
}

const UploadsDock = lazy(() =>
  import('./uploads/panel/uploads-dock.tsx').then((it) => ({ default: it.UploadsDock })),
)

/** Shows the uploads of the signed-in user on every page of the application (spec §2). */
export function Uploads() {
  const { data: user } = useCurrentUser()
  return user ? (
    <Suspense fallback={null}>
      <UploadsDock />
    </Suspense>
  ) : null
}

const Dashboard = lazy(() =>
  import('./pages/dashboard.tsx').then((it) => ({ default: it.Dashboard })),
)

/**
 * The page at / for a signed-in user: the dashboard (spec §2). Visitors normally get the landing
 * page from the server. A visitor gets this page only if the browser still hints that somebody is
 * signed in, although the session has ended.
 */
function Home() {
  return <SignedInScreen visitor={<LeaveForLanding />}>{() => <Dashboard />}</SignedInScreen>
}

/** Removes the hint that somebody is signed in, and loads the landing page from the server. */
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
