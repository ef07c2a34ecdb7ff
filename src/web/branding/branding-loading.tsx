import { Loading, Skeleton } from '../ui/skeleton.tsx'

/** The shape of the form until it is there. */
export function BrandingLoading() {
  return (
    <Loading label="Loading your branding">
      <Skeleton className="h-4 w-24" />
      <Skeleton className="mt-2 h-11 w-full" />
      <Skeleton className="mt-5 h-4 w-24" />
      <Skeleton className="mt-2 h-24 w-full" />
      <Skeleton className="mt-5 h-40 w-full" />
    </Loading>
  )
}
