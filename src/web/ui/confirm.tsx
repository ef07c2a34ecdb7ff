import { lazy, Suspense, useEffect, useState } from 'react'
import type { Confirmation, ConfirmOptions } from './confirmation.ts'

const ConfirmDialog = lazy(async () => ({
  default: (await import('./confirm-dialog.tsx')).ConfirmDialog,
}))

let showConfirmation: ((confirmation: Confirmation) => void) | undefined

/**
 * Asks for confirmation before an action that is destructive or has a cost. Escape and Cancel
 * resolve to false; a click outside is ignored. Cancel has focus initially.
 */
export function confirm(options: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => showConfirmation?.({ options, resolve }))
}

/** Renders the dialogs opened by `confirm`. Used once, at the root of the application. */
export function ConfirmDialogs() {
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null)
  useEffect(() => {
    showConfirmation = setConfirmation
  }, [])
  return confirmation === null ? null : (
    <Suspense fallback={null}>
      <ConfirmDialog confirmation={confirmation} />
    </Suspense>
  )
}
