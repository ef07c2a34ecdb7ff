import { LoadFailedLine } from '../ui/load-failed.tsx'
import { BrandingForm } from './branding-form.tsx'
import { BrandingLoading } from './branding-loading.tsx'
import { useBranding } from './use-branding.ts'

/** Loads the user's brand, and then shows the form with it. */
export function BrandingSettings() {
  const { data, isError, isFetching, refetch } = useBranding()
  if (data !== undefined) return <BrandingForm saved={data} />
  if (!isError) return <BrandingLoading />
  return (
    <LoadFailedLine
      text="Your branding could not be loaded."
      pending={isFetching}
      onRetry={() => void refetch()}
    />
  )
}
