import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useRef, useState } from 'react'
import { Button } from './button.tsx'
import type { Confirmation } from './confirmation.ts'
import { ButtonRow } from './dialog.tsx'
import { backdropClass, popupClass, widePopupClass } from './dialog-classes.ts'

/** The dialog for each new `confirmation`. It stays mounted for its closing animation. */
export function ConfirmDialog({ confirmation }: { confirmation: Confirmation }) {
  const [answered, setAnswered] = useState<Confirmation | null>(null)
  const cancelButtonRef = useRef<HTMLElement>(null)
  const isConfirmedRef = useRef(false)
  const { options, resolve } = confirmation
  const { title, description, details, confirmLabel, confirmVariant = 'danger' } = options
  const answer = (isConfirmed: boolean) => {
    isConfirmedRef.current = isConfirmed
    setAnswered(confirmation)
    resolve(isConfirmed)
  }
  return (
    <AlertDialog.Root open={answered !== confirmation} onOpenChange={() => answer(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropClass} />
        <AlertDialog.Popup
          className={details ? widePopupClass : popupClass}
          initialFocus={cancelButtonRef}
          finalFocus={() => (isConfirmedRef.current && options.focusAfter?.()) || true}
        >
          <AlertDialog.Title className="text-lg wrap-anywhere">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted wrap-anywhere">
            {description}
          </AlertDialog.Description>
          {details}
          <div className="mt-6">
            <ButtonRow>
              <Button ref={cancelButtonRef} onClick={() => answer(false)}>
                Cancel
              </Button>
              <Button variant={confirmVariant} onClick={() => answer(true)}>
                {confirmLabel}
              </Button>
            </ButtonRow>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
