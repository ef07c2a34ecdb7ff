import { ArrowDown, ArrowUp } from 'lucide-react'
import { type FileOrder, type SortKey, sortKeys } from '../../../shared/rules/files/file-order.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'

interface KeyText {
  label: string
  ascending: string
  descending: string
  /** True if people who choose this key usually want the descending order. */
  startsDescending: boolean
}

const texts: Readonly<Record<SortKey, KeyText>> = {
  date: {
    label: 'Date',
    ascending: 'Oldest first',
    descending: 'Newest first',
    startsDescending: true,
  },
  name: { label: 'Name', ascending: 'A to Z', descending: 'Z to A', startsDescending: false },
  size: {
    label: 'Size',
    ascending: 'Smallest first',
    descending: 'Largest first',
    startsDescending: true,
  },
  downloads: {
    label: 'Downloads',
    ascending: 'Fewest first',
    descending: 'Most first',
    startsDescending: true,
  },
}

const options = sortKeys.map((key) => ({ value: key, label: texts[key].label }))

export interface SortControlsProps {
  order: FileOrder
  onOrderChange: (order: FileOrder) => void
}

/** Spec §2: sort by date, name, size or downloads, ascending or descending. */
export function SortControls({ order, onOrderChange }: SortControlsProps) {
  const { ascending, descending } = texts[order.by]
  return (
    <div className="flex flex-wrap gap-2 max-sm:basis-full">
      <div className="min-w-32 flex-1 sm:w-48 cramped:basis-full">
        <Select
          label="Sort by"
          options={options}
          value={order.by}
          onValueChange={(by) => onOrderChange({ by, descending: texts[by].startsDescending })}
        />
      </div>
      <div className="w-40 cramped:w-full">
        <Button
          wide
          icon={order.descending ? <ArrowDown /> : <ArrowUp />}
          onClick={() => onOrderChange({ ...order, descending: !order.descending })}
        >
          {order.descending ? descending : ascending}
          <span className="sr-only">, change the direction</span>
        </Button>
      </div>
    </div>
  )
}
