import type { ReactNode } from 'react'
import { Card } from '../ui/card.tsx'

export interface ChartFigureProps {
  /** A one-sentence summary of the chart, such as '412 downloads in 30 days, most on 12 Nov'. */
  finding: string
  /** The chart's subject, such as 'Downloads per day'. */
  title: string
  children: ReactNode
}

/** A captioned chart. */
export function BareChartFigure({ finding, title, children }: ChartFigureProps) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-4 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 dir="auto" className="min-w-0 wrap-anywhere">
          {finding}
        </h3>
        <p className="text-muted text-sm">{title}</p>
      </figcaption>
      {children}
    </figure>
  )
}

/** A captioned chart on a card. */
export function ChartFigure(props: ChartFigureProps) {
  return (
    <Card className="p-5 sm:p-6">
      <BareChartFigure {...props} />
    </Card>
  )
}
