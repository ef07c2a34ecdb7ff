import { Progress } from '@base-ui/react/progress'

export interface ProgressBarProps {
  /** The accessible name, such as 'Uploading press-kit.zip'. */
  label: string
  /** A percentage, clamped to 0–100. Null if the progress is unknown. */
  value: number | null
  /** `quiet` is gray, for work that is paused or has failed. Defaults to `accent`. */
  tone?: 'accent' | 'quiet'
}

function clampPercent(value: number) {
  return Math.min(100, Math.max(0, value))
}

/**
 * A thin bar with the role `progressbar`. Screen readers read its value only on request. To
 * announce progress, put text such as 'Uploading… 40%' into a live region beside the bar.
 */
export function ProgressBar({ label, value, tone = 'accent' }: ProgressBarProps) {
  return (
    <Progress.Root value={value === null ? null : clampPercent(value)} aria-label={label}>
      <Progress.Track className="h-1.5 overflow-hidden rounded-full bg-line">
        <Progress.Indicator
          className={`h-full rounded-full transition-[width] duration-200 data-indeterminate:w-1/3 data-indeterminate:animate-pulse forced-colors:bg-[CanvasText] ${tone === 'quiet' ? 'bg-edge' : 'bg-accent'}`}
        />
      </Progress.Track>
    </Progress.Root>
  )
}
