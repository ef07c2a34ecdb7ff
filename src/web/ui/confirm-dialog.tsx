import { AlertDialog } from '@base-ui/react/alert-dialog'
import { type ReactNode, useRef } from 'react'
import { Button } from './button.tsx'

const backdropLook =
  'fixed inset-0 z-40 bg-[rgb(17_19_18/0.45)] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0'

const popupLook =
  'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-32px)] w-[min(440px,calc(100vw-32px))] -translate-x-1/2 -translate-y-1/2 flex-col overflow-y-auto rounded-card border border-line bg-surface p-6 text-ink shadow-float transition-[opacity,scale] duration-150 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0'

export interface ConfirmDialogProps {
  open: boolean
  /** Called with false when it is cancelled. While `pending` it stays. */
  onOpenChange: (open: boolean) => void
  title: string
  /** What will happen, and whether it can be undone. */
  description: ReactNode
  /** The button that does it, named by what it does: 'Delete'. */
  confirmLabel: string
  onConfirm: () => void
  /** While true both buttons wait; close it yourself when the work is done. */
  pending?: boolean
  /** The confirm button's text while `pending`: 'Deleting…'. */
  pendingLabel?: string
  /**
   * Where the focus goes when it closes: an element, or true for where it came from. Needed where
   * confirming removes what was focused before.
   */
  finalFocus?: () => HTMLElement | true | null
}

/**
 * Asks before something is destroyed. A click beside it does not answer; Escape and Cancel leave
 * everything as it was, and Cancel has the focus first.
 */
export const ConfirmDialog = ({
  open,
  onOpenChange,
  title,
  description,
  confirmLabel,
  onConfirm,
  pending = false,
  pendingLabel,
  finalFocus,
}: ConfirmDialogProps) => {
  const cancel = useRef<HTMLElement>(null)
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => (pending ? undefined : onOpenChange(next))}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropLook} />
        <AlertDialog.Popup className={popupLook} initialFocus={cancel} finalFocus={finalFocus}>
          <AlertDialog.Title className="text-lg wrap-anywhere">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted wrap-anywhere">
            {description}
          </AlertDialog.Description>
          <div className="mt-6 flex flex-wrap justify-end gap-2">
            <Button ref={cancel} disabled={pending} onClick={() => onOpenChange(false)}>
              Cancel
            </Button>
            <Button
              variant="danger"
              pending={pending}
              pendingLabel={pendingLabel}
              onClick={onConfirm}
            >
              {confirmLabel}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
