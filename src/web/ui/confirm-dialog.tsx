import { AlertDialog } from '@base-ui/react/alert-dialog'
import { type ReactNode, useRef } from 'react'
import { Button } from './button.tsx'
import { backdropLook, popupLook } from './dialog-look.ts'

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
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  confirmLabel,
  onConfirm,
  pending = false,
  pendingLabel,
  finalFocus,
}: ConfirmDialogProps) {
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
