import { CloudOff } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from './page.tsx'

/** Says that the server cannot be reached, with a button that asks it again. */
export function UnreachablePage({ onRetry, pending }: { onRetry: () => void; pending: boolean }) {
  return (
    <Page title="Not reachable" centred>
      <h1 className="sr-only">Mayfly cannot be reached</h1>
      <EmptyState
        failed
        icon={<CloudOff />}
        title="Mayfly cannot be reached right now"
        action={
          <Button variant="primary" onClick={onRetry} pending={pending} pendingLabel="Trying...">
            Try again
          </Button>
        }
      >
        Your files and links are where they were. Check your connection, or try again in a moment.
      </EmptyState>
    </Page>
  )
}
