import { useSearchParams } from 'wouter'
import { nextPath } from '../../shared/rules/next-path.ts'

/** Returns the page of this server to which signing in leads: the query `next`, checked. */
export function useNext(): string {
  const [search] = useSearchParams()
  return nextPath(search.get('next'))
}
