import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { readHint } from './api/hint-cookie.ts'
import { signInWaysQuery } from './api/public-values.ts'
import { createQueryClient } from './api/query-client.ts'
import { currentUserQuery } from './api/use-current-user.ts'
import { createSignInAgain, SignInAgainContext } from './auth/sign-in-again.ts'
import { FailureBoundary } from './pages/failure-boundary.tsx'
import { ShownPath } from './pages/page.tsx'
import { Uploads } from './pages/uploads.tsx'
import { Routes } from './routes.tsx'
import { Toaster, toast } from './ui/toast.tsx'
import { registerShareWorker } from './uploads/kept/register-share-worker.ts'
import { isGuarded } from './uploads/tabs/guard-page.ts'
import './ui/styles.css'

const signInAgain = createSignInAgain(
  toast,
  (task, delayMs) => setTimeout(task, delayMs),
  (address) => window.location.assign(address),
  () => window.location.pathname + window.location.search + window.location.hash,
  isGuarded,
)
const queryClient = createQueryClient(signInAgain)
// The user is requested before anything is drawn, because the first screen depends on it.
void queryClient.prefetchQuery(currentUserQuery)
// A visitor who is not signed in will probably open the login page or the signup page next. Both
// need the list of ways to sign in.
if (readHint(document) === null) void queryClient.prefetchQuery(signInWaysQuery)

registerShareWorker()

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element with the id "root".')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <SignInAgainContext value={signInAgain}>
        <ShownPath value={{ current: null }}>
          <FailureBoundary>
            <Routes />
          </FailureBoundary>
          <Uploads />
          <Toaster />
        </ShownPath>
      </SignInAgainContext>
    </QueryClientProvider>
  </StrictMode>,
)
