import { useEffect, useRef } from 'react'

export interface CheckboxProps {
  /** The accessible name, such as 'Select press-kit.zip'. */
  label: string
  checked: boolean
  /** Shows a dash instead of a check mark to indicate a partial selection. */
  mixed?: boolean
  onCheckedChange: (checked: boolean) => void
}

/**
 * A checkbox without a visible label, for use in rows. On touch screens, its touch target is 44 px
 * wide and high.
 */
export function Checkbox({ label, checked, mixed = false, onCheckedChange }: CheckboxProps) {
  const checkboxRef = useRef<HTMLInputElement>(null)
  // HTML has no attribute for the indeterminate state, so set the property.
  useEffect(() => {
    if (checkboxRef.current) checkboxRef.current.indeterminate = mixed
  }, [mixed])
  return (
    <label className="grid size-8 shrink-0 cursor-pointer place-items-center pointer-coarse:size-11">
      <span className="sr-only">{label}</span>
      <input
        ref={checkboxRef}
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onCheckedChange(target.checked)}
        className="size-[18px] cursor-[inherit] accent-accent"
      />
    </label>
  )
}
