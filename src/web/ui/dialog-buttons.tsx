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
    <div className="flex flex-wrap justify-end gap-2 max-sm:[&>*]:flex-1">
      <Button disabled={busy} onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" variant={variant} pending={busy} pendingLabel={pendingLabel}>
        {label}
      </Button>
    </div>
  )
}
