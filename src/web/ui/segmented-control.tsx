import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'

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
  return (
    <RadioGroup
      aria-label={label}
      value={value}
      onValueChange={(next: Value) => onValueChange(next)}
      className="inline-flex max-w-full flex-wrap rounded-control border border-edge bg-surface"
    >
      {options.map((option) => (
        <Radio.Root
          key={option.value}
          value={option.value}
          disabled={option.disabled}
          className="flex min-h-8 cursor-pointer select-none items-center px-3.5 font-[560] text-muted text-sm transition-colors duration-120 first-of-type:rounded-l-[9px] last-of-type:rounded-r-[9px] hover:text-ink data-checked:bg-accent data-checked:text-on-accent forced-colors:data-checked:bg-[Highlight] forced-colors:data-checked:text-[HighlightText] forced-colors:data-checked:forced-color-adjust-none data-disabled:cursor-not-allowed data-disabled:opacity-55 pointer-coarse:min-h-11"
        >
          {option.label}
        </Radio.Root>
      ))}
    </RadioGroup>
  )
}
