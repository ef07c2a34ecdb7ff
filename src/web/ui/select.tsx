import { ChevronDown } from 'lucide-react'
import { useId } from 'react'

export interface SelectProps<Value extends string> {
  label: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onValueChange: (value: Value) => void
}

/**
 * Lets the user choose from a short list with the browser's native menu. The label is inside the
 * field's frame.
 */
export function Select<Value extends string>({
  label,
  options,
  value,
  onValueChange,
}: SelectProps<Value>) {
  const id = useId()
  return (
    <div className="relative flex h-10 w-full items-center rounded-control border border-edge bg-surface transition-[border-color] duration-120 hover:border-muted pointer-coarse:h-11">
      <label htmlFor={id} className="shrink-0 pl-3.5 text-muted text-sm">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => {
          const selectedOption = options.find((option) => option.value === target.value)
          if (selectedOption) onValueChange(selectedOption.value)
        }}
        className="h-full min-w-0 flex-1 cursor-pointer appearance-none rounded-control bg-transparent pr-9 pl-1.5 font-[560] text-ink text-sm"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} className="bg-surface text-ink">
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute right-3 size-4 text-muted"
      />
    </div>
  )
}
