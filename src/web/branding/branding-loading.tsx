import { Loading, Skeleton } from '../ui/skeleton.tsx'

/** Grey shapes in place of the form while it is being loaded. */
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
