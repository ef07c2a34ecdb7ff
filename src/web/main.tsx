import './ui/styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { Component, type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { currentUserQuery } from './api/use-current-user.ts'
import { signInAgain } from './pages/sign-in-again.ts'
import { Routes, Uploads } from './routes.tsx'
import { Button } from './ui/button.tsx'
import { ConfirmDialogs } from './ui/confirm.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { Toaster } from './ui/toast.tsx'
import { enableTooltips } from './ui/tooltips.ts'
import { registerShareWorker } from './uploads/kept/register-share-worker.ts'

/**
 * Shows an error message with a reload button if a screen fails to load or render, for example
 * after a server update.
 */
class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <main className="grid min-h-dvh place-items-center">
        <h1 className="sr-only">This screen failed</h1>
        <EmptyState
          failed
          icon={<TriangleAlert />}
          title="This screen could not be shown"
          action={
            <Button variant="primary" onClick={() => window.location.reload()}>
              Reload
            </Button>
          }
        >
          Mayfly may have been updated since you opened it. Reload to get the new version.
        </EmptyState>
      </main>
    )
  }
}

const queryClient = createQueryClient(signInAgain)
// The first screen depends on who is signed in. The response is usually there before this script.
const userPromise = queryClient.prefetchQuery(currentUserQuery)

registerShareWorker()
enableTooltips()

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element with the id "root".')

const reactRoot = createRoot(root)
void userPromise.then(() =>
  reactRoot.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ErrorBoundary>
          <Routes />
        </ErrorBoundary>
        <Uploads />
        <ConfirmDialogs />
        <Toaster />
      </QueryClientProvider>
    </StrictMode>,
  ),
)
