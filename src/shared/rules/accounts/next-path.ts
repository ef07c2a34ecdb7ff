/** The front page. For a signed-in user it is the dashboard. */
const home = '/'

/**
 * First segments of paths to which nobody wants to return: calls, bytes, and the pages for people
 * who are not signed in.
 */
const noGoal = ['api', 'storage', 'login', 'signup', 'reset-password', 'verify-email']

/**
 * The segments of a page's path have only letters, digits, hyphens and underscores. So a path
 * cannot contain `..`, `//` or a percent sign, which could lead to another site.
 */
const pagePath = /^\/(?:([\w-]+)(?:\/[\w-]+)*)?$/

/**
 * A path with its query and fragment, as browsers write them: in ASCII without spaces. More than
 * 500 characters are not accepted.
 */
const printable = /^[\x21-\x7e]{0,500}$/

/**
 * Returns the page where somebody wanted to go before signing in (the query `next`), as a path with
 * its query and fragment. Anything that is no page of this server gives the front page: another
 * site, a path below /api, the login page itself.
 */
export function nextPath(wanted: string | null | undefined): string {
  if (!wanted || !printable.test(wanted)) return home
  const [path = ''] = wanted.split(/[?#]/, 1)
  const [page, first] = pagePath.exec(path) ?? []
  const isGoal = page !== undefined && !noGoal.includes(first ?? '')
  return isGoal ? wanted : home
}

/** Returns a path with `next` in its query. `next` is left out if it is the front page. */
export function withNext(path: string, next: string): string {
  return next === home ? path : `${path}?next=${encodeURIComponent(next)}`
}
