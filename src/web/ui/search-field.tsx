import { Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from './button.tsx'

export interface SearchFieldProps {
  /** The accessible name and placeholder, such as 'Search by name'. */
  label: string
  value: string
  onValueChange: (value: string) => void
  maxLength?: number
}

/**
 * A field for a search that runs while the user types. Escape and the clear button empty the field.
 */
export function SearchField({ label, value, onValueChange, maxLength }: SearchFieldProps) {
  const inputRef = useRef<HTMLInputElement>(null)
  const clearField = () => {
    onValueChange('')
    inputRef.current?.focus()
  }
  return (
    <div className="relative">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 left-3 my-auto size-[18px] text-muted"
      />
      <input
        ref={inputRef}
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        maxLength={maxLength}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="search"
        onChange={({ target }) => onValueChange(target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Escape') onValueChange('')
        }}
        className="h-10 w-full appearance-none rounded-control border border-edge bg-surface pr-11 pl-10 text-ink transition-[border-color] duration-120 placeholder:text-muted hover:border-muted pointer-coarse:h-11 [&::-webkit-search-cancel-button]:appearance-none"
      />
      {value === '' ? null : (
        <div className="absolute inset-y-0 right-1 flex items-center">
          <IconButton label="Clear search" icon={<X />} onClick={clearField} />
        </div>
      )}
    </div>
  )
}

const searchDelayMs = 150

/**
 * Returns the input, its setter, and the debounced text to search for. Clearing the field ends the
 * search immediately, without a delay.
 */
export function useSearch() {
  const [input, setInput] = useState('')
  const [search, setSearch] = useState('')
  const trimmed = input.trim()
  // Without this, the old search would briefly reappear when the user types the next letter.
  if (trimmed === '' && search !== '') setSearch('')

  useEffect(() => {
    const timer = setTimeout(() => setSearch(trimmed), searchDelayMs)
    return () => clearTimeout(timer)
  }, [trimmed])

  return { input, search, setInput }
}
