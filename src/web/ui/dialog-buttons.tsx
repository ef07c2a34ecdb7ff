import type { ReactNode } from 'react'
import { Button, type ButtonProps } from './button.tsx'

export interface DialogButtonsProps extends Pick<ButtonProps, 'variant' | 'pendingLabel'> {
  /** The text of the button that sends the form. It names the action: 'Delete'. */
  label: string
  /** Whether the form is being sent. */
  busy: boolean
  onCancel: () => void
}

/** The buttons at the end of a form in a dialog: Cancel, and the one that sends the form. */
export function DialogButtons({
  label,
  busy,
  onCancel,
  variant,
  pendingLabel,
}: DialogButtonsProps) {
  return (
    <ButtonRow>
      <Button disabled={busy} onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" variant={variant} pending={busy} pendingLabel={pendingLabel}>
        {label}
      </Button>
    </ButtonRow>
  )
}

/** The row of buttons at the end of a dialog. On a phone the buttons share the whole width. */
export function ButtonRow({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 max-sm:[&>*]:flex-1">{children}</div>
}
