import type { ReactNode } from 'react'
import { Mark } from '../ui/mark.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { Wrap } from './wrap.tsx'

/** A placeholder for a screen that is loading, with its heading if that is known. */
export function LoadingPage({
  heading = <Skeleton className="h-8 w-64 max-w-full" />,
}: {
  heading?: ReactNode
}) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="border-line border-b">
        <Wrap className="flex min-h-16 items-center justify-between">
          <Mark />
          <Skeleton className="h-8 w-36" />
        </Wrap>
      </header>
      <main className="flex-1">
        <Loading label="Loading">
          <Wrap className="pt-7">
            {heading}
            <Skeleton className="mt-10 h-5 w-48" />
            <div className="appear-late mt-8 h-60 rounded-card border border-line bg-surface" />
          </Wrap>
        </Loading>
      </main>
    </div>
  )
}
