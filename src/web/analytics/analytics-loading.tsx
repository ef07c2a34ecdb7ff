import { Card } from '../ui/card.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'

/** A skeleton shown while the analytics code or data loads. */
export function AnalyticsLoading() {
  return (
    <Loading label="Loading your analytics">
      <div className="grid gap-4">
        <Card className="p-5 sm:p-6">
          <Skeleton className="h-14 w-full" />
        </Card>
        <Card className="p-5 sm:p-6">
          <Skeleton className="h-4 w-3/5 max-w-80" />
          <Skeleton className="mt-4 h-52 w-full" />
        </Card>
      </div>
    </Loading>
  )
}
