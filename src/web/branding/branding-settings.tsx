import { Button } from '../ui/button.tsx'
import { BrandingForm } from './branding-form.tsx'
import { BrandingLoading } from './branding-loading.tsx'
import { useBranding } from './use-branding.ts'

/** Loads the user's brand, and then shows the form with it. */
export function BrandingSettings() {
  const { data, isError, isFetching, refetch } = useBranding()
  if (data !== undefined) return <BrandingForm saved={data} />
  if (!isError) return <BrandingLoading />
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3">
      <p className="text-muted">Your branding could not be loaded.</p>
      <Button
        size="small"
        pending={isFetching}
        pendingLabel="Loading..."
        onClick={() => void refetch()}
      >
        Try again
      </Button>
    </div>
  )
}
