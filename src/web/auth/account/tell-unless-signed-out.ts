import { saysSignedOut } from '../../api/query-client.ts'
import { tellFailure } from '../use-auth-form.ts'

/**
 * Shows why a call of the account page failed: see `tellFailure`. It shows nothing if the session
 * has ended, because that has a toast of its own.
 */
export function tellUnlessSignedOut(error: unknown, title: string, description: string): void {
  if (!saysSignedOut(error)) tellFailure({ failed: { title, description } }, error)
}
