import { useSearchParams } from 'wouter'
import { nextPath } from '../../shared/rules/accounts/next-path.ts'

/**
 * Returns the page of this server to which signing in leads, from the query `next`. Any other
 * target is replaced by the front page.
 */
export function useNext(): string {
  const [search] = useSearchParams()
  return nextPath(search.get('next'))
}
