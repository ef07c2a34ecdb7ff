import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { Home } from './pages/home.tsx'
import { LoadingPage } from './pages/loading-page.tsx'
import { pageImports } from './pages/page-imports.ts'
import { type PagePath, Preload } from './pages/preload.ts'

const LoginPage = lazy(pageImports.login)
const SignupPage = lazy(pageImports.signup)
const ResetPasswordPage = lazy(pageImports.resetPassword)
const NotFoundPage = lazy(pageImports.notFound)

const importOf: Record<PagePath, () => Promise<unknown>> = {
  '/': pageImports.front,
  '/login': pageImports.login,
  '/signup': pageImports.signup,
  '/reset-password': pageImports.resetPassword,
}

/** That it fails shows when the screen is opened. */
function preload(path: PagePath) {
  importOf[path]().catch(() => undefined)
}

/**
 * The route table of spec §2. /s/{shortCode} and /download/{shareToken} are pages of the server's own.
 * The paths stand in `shared/pages.ts` too, for the server to tell them from what is not found.
 */
export function Routes() {
  return (
    <Preload value={preload}>
      <Suspense fallback={<LoadingPage />}>
        <Switch>
          <Route path="/" component={Home} />
          <Route path="/login" component={LoginPage} />
          <Route path="/signup" component={SignupPage} />
          <Route path="/reset-password" component={ResetPasswordPage} />
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </Preload>
  )
}
