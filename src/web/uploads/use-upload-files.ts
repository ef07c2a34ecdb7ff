import type { ExpirationDays } from '../../shared/rules/lifetime.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { toast } from '../ui/toast.tsx'
import { planUploads, skippedToast } from './upload-plan.ts'
import { useUploadQueue } from './use-upload-queue.ts'

/** Answers the function that uploads files of a user of this tier, as far as the tier allows. */
export const useUploadFiles = (tier: Tier) => {
  const add = useUploadQueue((queue) => queue.add)
  return (files: readonly File[], days: ExpirationDays) => {
    const { go, skipped } = planUploads(files, tier)
    const notice = skippedToast(skipped, tier)
    if (notice) toast({ ...notice, tone: 'destructive' })
    add(go, days, skipped)
  }
}
