import { useId } from 'react'

export interface SegmentedControlProps<Value extends string> {
  /** The accessible name, such as 'Expires after'. */
  label: string
  options: readonly { value: Value; label: string; disabled?: boolean }[]
  value: Value
  onValueChange: (value: Value) => void
}

/** A radio group that shows a few options side by side. The arrow keys move between them. */
export function SegmentedControl<Value extends string>({
  label,
  options,
  value,
  onValueChange,
}: SegmentedControlProps<Value>) {
  const name = useId()
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex max-w-full flex-wrap rounded-control border border-edge bg-surface"
    >
      {options.map((option) => (
        <label
          key={option.value}
          className="relative flex select-none first:rounded-l-[9px] last:rounded-r-[9px]"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled}
            onChange={() => onValueChange(option.value)}
            className="peer absolute inset-0 cursor-pointer appearance-none rounded-[inherit]"
          />
          <span className="pointer-events-none flex min-h-8 items-center rounded-[inherit] px-3.5 font-[560] text-muted text-sm transition-colors duration-120 peer-checked:bg-accent peer-checked:text-on-accent peer-disabled:opacity-55 peer-enabled:peer-not-checked:peer-hover:text-ink pointer-coarse:min-h-11 forced-colors:peer-checked:bg-[Highlight] forced-colors:peer-checked:text-[HighlightText] forced-colors:peer-checked:forced-color-adjust-none">
            {option.label}
          </span>
        </label>
      ))}
    </div>
  )
}
