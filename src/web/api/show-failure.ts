import { toast } from '../ui/toast.tsx'
import { isSignedOutError } from './query-client.ts'

/**
 * Shows a toast for a failed call, unless it failed because the session has ended, which shows its
 * own toast.
 */
export function showFailure(error: unknown, title: string, description: string): void {
  if (!isSignedOutError(error)) toast({ title, description, tone: 'destructive' })
}
