import { Switch as Base } from '@base-ui/react/switch'
import { useId } from 'react'

export interface SwitchProps {
  label: string
  checked: boolean
  onCheckedChange: (checked: boolean) => void
  disabled?: boolean
  /** The id of an element with more information, such as why the switch is disabled. */
  describedBy?: string
}

/** A setting that is on or off. Clicking its label toggles it too. */
export function Switch({
  label,
  checked,
  onCheckedChange,
  disabled = false,
  describedBy,
}: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-center justify-between gap-3 pointer-coarse:min-h-11">
      <label
        htmlFor={id}
        className={`select-none font-[560] text-sm ${disabled ? 'text-muted' : 'cursor-pointer'}`}
      >
        {label}
      </label>
      <Base.Root
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={describedBy}
        onCheckedChange={(next) => onCheckedChange(next)}
        className="inline-flex h-6 w-10 shrink-0 cursor-pointer items-center rounded-full border border-edge bg-surface p-[3px] transition-colors duration-120 data-checked:border-accent data-checked:bg-accent data-disabled:cursor-not-allowed data-disabled:opacity-55"
      >
        <Base.Thumb className="size-4 rounded-full bg-edge transition-[translate] duration-120 data-checked:translate-x-4 data-checked:bg-on-accent forced-colors:bg-[ButtonText]" />
      </Base.Root>
    </div>
  )
}
