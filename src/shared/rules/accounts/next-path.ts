/** The front page. For signed-in users, it is the dashboard. */
const frontPagePath = '/'

/**
 * Paths that start with one of these segments are never opened after signing in: API calls, file
 * contents, and pages for signed-out users.
 */
const excludedSegments = ['api', 'storage', 'login', 'signup', 'reset-password', 'verify-email']

/**
 * Allows only letters, digits, hyphens and underscores in path segments. This excludes `..`, `//`
 * and percent signs, which could lead to another site.
 */
const pagePath = /^\/(?:([\w-]+)(?:\/[\w-]+)*)?$/

/**
 * A path with query and fragment as browsers encode it: ASCII without spaces, at most 500
 * characters.
 */
const printableAscii = /^[\x21-\x7e]{0,500}$/

/**
 * Returns the page to open after signing in (the query parameter `next`), as a path with query and
 * fragment. Returns the front page instead if `next` isn't a page on this server, for example if it
 * is another site or a path below /api, or if it is the login page.
 */
export function nextPath(requestedPath: string | null | undefined): string {
  if (!requestedPath || !printableAscii.test(requestedPath)) return frontPagePath
  const [path = ''] = requestedPath.split(/[?#]/, 1)
  const [page, firstSegment] = pagePath.exec(path) ?? []
  const isAllowed = page !== undefined && !excludedSegments.includes(firstSegment ?? '')
  return isAllowed ? requestedPath : frontPagePath
}

/** Adds the query parameter `next` to a path, unless `next` is the front page. */
export function withNext(path: string, next: string): string {
  return next === frontPagePath ? path : `${path}?next=${encodeURIComponent(next)}`
}
