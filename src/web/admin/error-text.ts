import type { ErrorCode } from '../../shared/contract/errors.ts'
import { ApiError, NetworkError, publicMessage } from '../api/call.ts'
import { toast } from '../ui/toast.tsx'

/**
 * Says why a setting was not saved. If the server refused the value, the reason appears below the
 * field, and the toast has only its title. Otherwise the toast gives the reason.
 * @returns whether the server refused the value.
 */
export function showSaveError(
  title: string,
  error: unknown,
  onRefused: (fault: string) => void,
): boolean {
  const isRefused = error instanceof ApiError && error.code === 'INVALID_INPUT'
  if (isRefused) onRefused(errorText(error))
  toast({
    title,
    tone: 'destructive',
    ...(isRefused ? {} : { description: errorText(error) }),
  })
  return isRefused
}

/**
 * What the administrator should do about these errors. The server's messages for them tell people
 * to write to support, which does not help the administrator.
 */
const remedies: Partial<Record<ErrorCode, string>> = {
  DISK_FULL: 'The disk of this server is full. See the check Free space.',
  STORAGE_FULL: 'This server has too little free space for it. See the check Free space.',
  STORAGE_CAP_REACHED:
    'The storage limit of this server is reached. Raise it under Limits, or delete files.',
}

/**
 * Returns a sentence about why a call of the administrator failed: what to do about it, the
 * server's message, or that the server could not be reached.
 */
export function errorText(error: unknown): string {
  if (error instanceof NetworkError) return 'Please check your connection and try again'
  const remedy = error instanceof ApiError && error.code ? remedies[error.code] : undefined
  return remedy ?? publicMessage(error) ?? 'The server gave no reason. See its log.'
}
