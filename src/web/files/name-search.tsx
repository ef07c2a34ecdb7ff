import { longestFileSearch } from '../../shared/rules/files/file-order.ts'
import { SearchField } from '../ui/search-field.tsx'

export interface NameSearchProps {
  typed: string
  onType: (text: string) => void
}

/** The field that searches a list of files by name. */
export function NameSearch({ typed, onType }: NameSearchProps) {
  return (
    <div className="min-w-0 flex-1 max-sm:basis-full">
      <SearchField
        label="Search by name"
        value={typed}
        onValueChange={onType}
        maxLength={longestFileSearch}
      />
    </div>
  )
}
