export interface RowToggleProps {
  /** The name of what the button opens. */
  label: string
  fileName: string
  open: boolean
  onToggle: () => void
  /** The id of the element that the button opens. */
  controls: string
}

/** A quiet button in a row that shows and hides more about the file. */
export function RowToggle({ label, fileName, open, onToggle, controls }: RowToggleProps) {
  return (
    <span className="whitespace-nowrap">
      <span aria-hidden="true">· </span>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? controls : undefined}
        onClick={onToggle}
        className="-my-1 min-h-6 rounded-[4px] py-1 hover:text-ink hover:underline pointer-coarse:my-0 pointer-coarse:min-h-11"
      >
        {label}
        <span className="sr-only"> of {fileName}</span>
      </button>
    </span>
  )
}
