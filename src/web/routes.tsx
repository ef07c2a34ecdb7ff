import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import type { appPaths } from '../shared/pages.ts'
import { deleteHint, readHint } from './api/hint-cookie.ts'
import { useCurrentUser } from './api/use-current-user.ts'
import { Dashboard } from './pages/dashboard.tsx'
import { LoadingPage } from './pages/loading-page.tsx'
import { SignedInScreen } from './pages/screen-guards.tsx'
import { useHasUploads, useUploadsStore } from './uploads/use-uploads.ts'

/**
 * The application's screens (spec §2), keyed by the paths in `shared/pages.ts`. The server responds
 * to these paths with the application, except that people who aren't signed in get the landing page
 * at `/`. All other pages come directly from the server, such as the login and /s/{shortCode}.
 */
const screens: Record<(typeof appPaths)[number], ComponentType> = {
  '/': Home,
  '/account': lazy(async () => ({
    default: (await import('./pages/account-page.tsx')).AccountPage,
  })),
  '/admin': lazy(async () => ({ default: (await import('./pages/admin-page.tsx')).AdminPage })),
  '/verify-email': lazy(async () => ({
    default: (await import('./pages/verify-email-page.tsx')).VerifyEmailPage,
  })),
  '/reset-password': lazy(async () => ({
    default: (await import('./pages/reset-password-page.tsx')).ResetPasswordPage,
  })),
}

/** Renders the screen for the current path. */
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

const UploadsDock = lazy(async () => ({
  default: (await import('./uploads/panel/uploads-dock.tsx')).UploadsDock,
}))

/** The uploads panel, shown on every screen while the user is signed in (spec §2). */
export function Uploads() {
  const { data: user } = useCurrentUser()
  const hasUploads = useHasUploads(useUploadsStore())
  return user && hasUploads ? (
    <Suspense fallback={null}>
      <UploadsDock />
    </Suspense>
  ) : null
}

/**
 * The page at /: the dashboard (spec §2). People who aren't signed in normally get the landing page
 * from the server instead. They get this page only if the session has ended but the hint cookie
 * remains.
 */
function Home() {
  return <SignedInScreen visitor={<RedirectToLandingPage />}>{() => <Dashboard />}</SignedInScreen>
}

/** Clears the sign-in hint and loads the landing page from the server. */
function RedirectToLandingPage() {
  useEffect(() => {
    const hint = readHint(document)
    if (hint !== null) deleteHint(document, hint)
    // If the hint couldn't be cleared, opening / would load this application again in an endless
    // loop, so open the login page instead.
    window.location.replace(readHint(document) === null ? '/' : '/login')
  }, [])
  return <LoadingPage />
}
