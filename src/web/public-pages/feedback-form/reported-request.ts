import { isShortCode } from '../../../shared/rules/links/short-code.ts'

/**
 * Returns the first line of a message that reports a request, or an empty string if none is named.
 * @param search the query of the feedback page, such as '?request=Kd7wQm3xRt'.
 */
export function reportedRequestText({ origin, search }: Pick<Location, 'origin' | 'search'>) {
  const code = new URLSearchParams(search).get('request') ?? ''
  return isShortCode(code) ? `Report of ${origin}/r/${code}\n` : ''
}
