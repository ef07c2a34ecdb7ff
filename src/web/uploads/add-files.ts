import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { defaultExpirationDays } from '../../shared/rules/links/lifetime.ts'
import { useLimits } from '../api/public-values.ts'
import { useCurrentUser } from '../api/use-current-user.ts'
import { toast } from '../ui/toast.tsx'
import { dropError } from './picking/dropped-files.ts'
import { chooseFile } from './picking/file-picker.ts'
import { useUploadsStore } from './use-uploads.ts'

/**
 * Returns a function that lets the user choose files and adds those within the tier's size limit to
 * one of the user's links. Call it from a click handler.
 */
export function useAddFiles(): (shortCode: string) => Promise<void> {
  const store = useUploadsStore()
  const limits = useLimits()
  const { data: user } = useCurrentUser()
  return async (shortCode) => {
    const drop = await chooseFile({ multiple: true })
    if (!drop || !user) return
    const { maxFileSize } = limits[user.tier]
    const accepted = drop.files.filter(({ file }) => file.size <= maxFileSize)
    const error = dropError(drop) ?? {
      title: 'File too large',
      description: `The maximum is ${formatSizeLimit(maxFileSize)} for each file.`,
    }
    const isComplete = drop.unreadable.length === 0 && accepted.length === drop.files.length
    if (!isComplete) toast({ ...error, tone: 'destructive' })
    // The link decides when its files expire.
    store.getState().add(accepted, defaultExpirationDays, { shortCode })
  }
}
