import { Progress } from '@base-ui/react/progress'

export interface ProgressBarProps {
  /** The accessible name, such as 'Uploading press-kit.zip'. */
  label: string
  /** A percentage from 0 to 100. */
  value: number
}

/**
 * A thin bar with the role `progressbar`. Screen readers read its value only on request. To
 * announce progress, put text such as 'Uploading… 40%' into a live region beside the bar.
 */
export function ProgressBar({ label, value }: ProgressBarProps) {
  return (
    <Progress.Root value={value} aria-label={label}>
      <Progress.Track className="h-1.5 overflow-hidden rounded-full bg-line">
        <Progress.Indicator className="h-full rounded-full bg-accent transition-[width] duration-200 forced-colors:bg-[CanvasText]" />
      </Progress.Track>
    </Progress.Root>
  )
}
