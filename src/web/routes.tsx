import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { Home } from './pages/home.tsx'
import { LoadingPage } from './pages/loading-page.tsx'
import { pageImports } from './pages/page-imports.ts'
import { type PagePath, Preload } from './pages/preload.ts'

const LoginPage = lazy(pageImports.login)
const SignupPage = lazy(pageImports.signup)
const AccountPage = lazy(pageImports.account)
const AdminPage = lazy(pageImports.admin)
const VerifyEmailPage = lazy(pageImports.verifyEmail)
const ResetPasswordPage = lazy(pageImports.resetPassword)
const NotFoundPage = lazy(pageImports.notFound)

const importOf: Record<PagePath, () => Promise<unknown>> = {
  '/': pageImports.front,
  '/login': pageImports.login,
  '/signup': pageImports.signup,
  '/account': pageImports.account,
  // Only the administrator sees the link to this page.
  '/admin': () => Promise.all([pageImports.admin(), import('./admin/admin-center.tsx')]),
  '/verify-email': pageImports.verifyEmail,
  '/reset-password': pageImports.resetPassword,
}

/** A failed preload is ignored here. The failure shows when the screen is opened. */
function preload(path: PagePath) {
  importOf[path]().catch(() => undefined)
}

/**
 * The route table of spec §2. The server itself answers /s/{shortCode} and /download/{shareToken}.
 * The paths stand in `shared/pages.ts` too, so that the server can tell them from unknown paths.
 */
export function Routes() {
  return (
    <Preload value={preload}>
      <Suspense fallback={<LoadingPage />}>
        <Switch>
          <Route path="/" component={Home} />
          <Route path="/login" component={LoginPage} />
          <Route path="/signup" component={SignupPage} />
          <Route path="/account" component={AccountPage} />
          <Route path="/admin" component={AdminPage} />
          <Route path="/verify-email" component={VerifyEmailPage} />
          <Route path="/reset-password" component={ResetPasswordPage} />
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </Preload>
  )
}
