import { useId } from 'react'

export interface DateFieldProps {
  label: string
  /** A day such as '2026-11-19'; empty if none is chosen. */
  value: string
  onValueChange: (day: string) => void
  /** The first and the last day that can be chosen. Empty for no bound. */
  min?: string
  max?: string
}

/**
 * A choice of one day. It opens the browser's own calendar. Its label is inside its frame, as that
 * of a `Select`.
 */
export function DateField({ label, value, onValueChange, min = '', max = '' }: DateFieldProps) {
  const id = useId()
  return (
    <div className="flex h-10 w-full min-w-0 items-center rounded-control border border-edge bg-surface transition-[border-color] duration-120 hover:border-muted pointer-coarse:h-11">
      <label htmlFor={id} className="shrink-0 pl-3.5 text-muted text-sm">
        {label}
      </label>
      <input
        id={id}
        type="date"
        value={value}
        min={min || undefined}
        max={max || undefined}
        onChange={({ target }) => onValueChange(target.value)}
        className={`ml-1.5 h-full min-w-0 flex-1 rounded-control bg-transparent pr-2.5 text-sm tabular-nums ${value === '' ? 'text-muted' : 'font-[560] text-ink'}`}
      />
    </div>
  )
}
