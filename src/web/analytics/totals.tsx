import { sum } from 'd3-array'
import type { ReactNode } from 'react'
import type { Analytics } from '../../shared/contract/analytics.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { formatCount } from '../charts/format-count.ts'
import { Card } from '../ui/card.tsx'

/**
 * `Totals` compares the downloads of this many days, today included, with those of as many days
 * before them.
 */
const recentDays = 7

export interface TotalsProps {
  analytics: Analytics
  /** A link to the files whose links expire soon. It stands beside their number. */
  expiringLink: ReactNode
}

/**
 * Shows four numbers about a user: files, downloads, downloads of the last 7 days, and links that
 * expire soon.
 */
export function Totals({ analytics: { kinds, days, expiringSoon }, expiringLink }: TotalsProps) {
  const downloads = (from: number, to?: number) => sum(days.slice(from, to), ({ count }) => count)
  return (
    <Card>
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(9rem,100%),1fr))]">
        <Total name="Files" value={sum(kinds, ({ count }) => count)}>
          {formatSize(sum(kinds, ({ size }) => size))} in storage
        </Total>
        <Total name="Downloads" value={downloads(0)}>
          in {days.length} days
        </Total>
        <Total name={`Last ${recentDays} days`} value={downloads(-recentDays)}>
          {formatCount(downloads(-2 * recentDays, -recentDays))} in the {recentDays} before
        </Total>
        <Total name="Expiring soon" value={expiringSoon} isUrgent={expiringSoon > 0}>
          within 24 hours
          {expiringSoon > 0 ? (
            <>
              <span className="max-sm:hidden"> ·</span> {expiringLink}
            </>
          ) : null}
        </Total>
      </dl>
    </Card>
  )
}

interface TotalProps {
  name: string
  value: number
  children: ReactNode
  isUrgent?: boolean
}

function Total({ name, value, children, isUrgent = false }: TotalProps) {
  return (
    <div className="px-5 py-4 tabular-nums sm:px-6">
      <dt className="text-muted text-sm">{name}</dt>
      <dd className={`font-[620] text-2xl ${isUrgent ? 'text-amber' : ''}`}>
        {formatCount(value)}
      </dd>
      <dd className="text-muted text-sm">{children}</dd>
    </div>
  )
}
