/** The front page: the dashboard if the user is signed in. */
const home = '/'

/**
 * First segments of paths that make no sense after signing in: API calls, file contents, and pages
 * for signed-out users.
 */
const noGoal = ['api', 'storage', 'login', 'signup', 'reset-password', 'verify-email']

/**
 * Segments of page paths have only letters, digits, hyphens and underscores. This excludes `..`,
 * `//` and percent signs, which could lead to another site.
 */
const pagePath = /^\/(?:([\w-]+)(?:\/[\w-]+)*)?$/

/**
 * A path with query and fragment as browsers write them: ASCII without spaces, at most 500
 * characters.
 */
const printable = /^[\x21-\x7e]{0,500}$/

/**
 * Returns the page to open after signing in (the query `next`), as a path with query and fragment.
 * Falls back to the front page for anything that isn't a page of this server, such as another site,
 * a path below /api, or the login page.
 */
export function nextPath(wanted: string | null | undefined): string {
  if (!wanted || !printable.test(wanted)) return home
  const [path = ''] = wanted.split(/[?#]/, 1)
  const [page, first] = pagePath.exec(path) ?? []
  const isAllowed = page !== undefined && !noGoal.includes(first ?? '')
  return isAllowed ? wanted : home
}

/** Adds `next` to the query of a path, unless it is the front page. */
export function withNext(path: string, next: string): string {
  return next === home ? path : `${path}?next=${encodeURIComponent(next)}`
}
