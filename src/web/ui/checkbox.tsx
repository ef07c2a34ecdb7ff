import { useEffect, useRef } from 'react'

export interface CheckboxProps {
  /** What the box selects, for screen readers: 'Select press-kit.zip'. */
  label: string
  checked: boolean
  /** Shows a dash instead of a tick. It means that only some of several things are selected. */
  mixed?: boolean
  onCheckedChange: (checked: boolean) => void
}

/**
 * A check box without a visible label, for rows. On touch screens its touch area is 44 px wide and
 * high.
 */
export function Checkbox({ label, checked, mixed = false, onCheckedChange }: CheckboxProps) {
  const box = useRef<HTMLInputElement>(null)
  // HTML has no attribute for the dash, so the code sets the property of the element.
  useEffect(() => {
    if (box.current) box.current.indeterminate = mixed
  }, [mixed])
  return (
    <label className="grid size-8 shrink-0 cursor-pointer place-items-center pointer-coarse:size-11">
      <span className="sr-only">{label}</span>
      <input
        ref={box}
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onCheckedChange(target.checked)}
        className="size-[18px] cursor-[inherit] accent-accent"
      />
    </label>
  )
}
