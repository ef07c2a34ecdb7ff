import { ArrowDown, ChartColumn } from 'lucide-react'

const numbers = new Intl.NumberFormat('en')

export interface DownloadsCountProps {
  count: number
  fileName: string
  /**
   * Opens or closes the statistics of the file. Without this function, the number is plain text.
   */
  onToggle: (() => void) | undefined
  /** The id of the element that shows the statistics; undefined while they are closed. */
  openId: string | undefined
}

function wordsOf(count: number): string {
  return `${numbers.format(count)} ${count === 1 ? 'download' : 'downloads'}`
}

/** How often a file was downloaded. In the File Manager the number opens the file's statistics. */
export function DownloadsCount({ count, fileName, onToggle, openId }: DownloadsCountProps) {
  if (!onToggle) {
    return (
      <>
        <span aria-hidden="true" className="inline-flex items-center gap-1">
          {numbers.format(count)}
          <ArrowDown className="size-3.5" strokeWidth={1.6} />
        </span>
        <span className="sr-only">{wordsOf(count)}</span>
      </>
    )
  }
  const isOpen = openId !== undefined
  return (
    <button
      type="button"
      aria-label={`${wordsOf(count)}, statistics of ${fileName}`}
      aria-expanded={isOpen}
      aria-controls={openId}
      onClick={onToggle}
      className={`-my-1.5 inline-flex min-h-8 cursor-pointer items-center gap-1.5 rounded-[8px] px-2 tabular-nums transition-colors duration-120 hover:bg-[color-mix(in_oklab,transparent,var(--ink)_7%)] hover:text-ink pointer-coarse:min-h-11 ${isOpen ? 'bg-tint font-[560] text-ink' : ''}`}
    >
      {numbers.format(count)}
      <ChartColumn aria-hidden="true" className="size-3.5" strokeWidth={1.8} />
    </button>
  )
}
