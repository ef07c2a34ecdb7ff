import { Progress } from '@base-ui/react/progress'

export interface ProgressBarProps {
  /** The name of the bar for screen readers: 'Uploading press-kit.zip'. */
  label: string
  /** 0 to 100; null while the amount is not known. Values outside are limited to this range. */
  value: number | null
  /** `quiet` is grey, for paused or failed work. Default `accent`. */
  tone?: 'accent' | 'quiet'
}

function range(value: number) {
  return Math.min(100, Math.max(0, value))
}

/**
 * A thin bar with the role `progressbar`. Screen readers read its value only on request. To
 * announce progress, put a text ('Uploading… 40%') into a live region beside the bar.
 */
export function ProgressBar({ label, value, tone = 'accent' }: ProgressBarProps) {
  return (
    <Progress.Root value={value === null ? null : range(value)} aria-label={label}>
      <Progress.Track className="h-1.5 overflow-hidden rounded-full bg-line">
        <Progress.Indicator
          className={`h-full rounded-full transition-[width] duration-200 data-indeterminate:w-1/3 data-indeterminate:animate-pulse forced-colors:bg-[CanvasText] ${tone === 'quiet' ? 'bg-edge' : 'bg-accent'}`}
        />
      </Progress.Track>
    </Progress.Root>
  )
}
