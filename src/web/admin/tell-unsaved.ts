import { ApiError } from '../api/call.ts'
import { toast } from '../ui/toast.tsx'
import { faultText } from './fault-text.ts'

/**
 * Says why a setting was not saved. If the server refused the value, the reason appears below the
 * field, and the toast has only its title. Otherwise the toast gives the reason.
 * @returns whether the server refused the value.
 */
export function tellUnsaved(
  title: string,
  error: unknown,
  onRefused: (fault: string) => void,
): boolean {
  const isRefused = error instanceof ApiError && error.code === 'INVALID_INPUT'
  if (isRefused) onRefused(faultText(error))
  toast({
    title,
    tone: 'destructive',
    ...(isRefused ? {} : { description: faultText(error) }),
  })
  return isRefused
}
