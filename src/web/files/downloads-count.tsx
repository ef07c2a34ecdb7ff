import { ChartColumn, ReceiptText } from 'lucide-react'

const numbers = new Intl.NumberFormat('en')

export interface DownloadsCountProps {
  count: number
  fileName: string
  /** Opens or closes the details of the file. */
  onToggle: () => void
  /** The id of the element that shows the details; undefined while they are closed. */
  openId: string | undefined
  /** True if the details show the downloads of each day. Otherwise they show the receipt alone. */
  hasStatistics: boolean
}

function wordsOf(count: number): string {
  return `${numbers.format(count)} ${count === 1 ? 'download' : 'downloads'}`
}

/**
 * How often a file was downloaded. The number is the button that opens the file's details: its
 * receipt, and in the File Manager its statistics too.
 */
export function DownloadsCount({ count, fileName, onToggle, ...details }: DownloadsCountProps) {
  const { openId, hasStatistics } = details
  const isOpen = openId !== undefined
  const what = hasStatistics ? 'statistics' : 'receipt'
  const Icon = hasStatistics ? ChartColumn : ReceiptText
  return (
    <button
      type="button"
      aria-label={`${wordsOf(count)}, ${what} of ${fileName}`}
      title={`${wordsOf(count)}: ${what}`}
      aria-expanded={isOpen}
      aria-controls={openId}
      onClick={onToggle}
      className={`-my-1.5 inline-flex min-h-8 cursor-pointer items-center gap-1.5 rounded-[8px] px-2 tabular-nums transition-colors duration-120 hover:bg-[color-mix(in_oklab,transparent,var(--ink)_7%)] hover:text-ink pointer-coarse:min-h-11 ${isOpen ? 'bg-tint font-[560] text-ink' : ''}`}
    >
      {numbers.format(count)}
      <Icon aria-hidden="true" className="size-3.5" strokeWidth={1.8} />
    </button>
  )
}
