import { TriangleAlert } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/**
 * If a screen cannot be loaded or drawn, shows a message with a button instead. This happens for
 * instance after an update of the server.
 */
export class FailureBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
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
