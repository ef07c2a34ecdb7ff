/** The front page, which is the dashboard for whoever is signed in. */
const home = '/'

/**
 * What no page lies below (calls and bytes), and the pages of people who are not signed in, to
 * which nobody wants to go back.
 */
const noGoal = ['api', 'storage', 'login', 'signup', 'reset-password', 'verify-email']

/**
 * A page's path has only letters, digits, hyphens and underscores in its segments. So there is one
 * spelling of it: no dots that climb, no second slash that names another host, no percent sign.
 */
const pagePath = /^\/(?:([\w-]+)(?:\/[\w-]+)*)?$/

/** What a browser itself writes into a query and a fragment. */
const printable = /^[\x21-\x7e]{0,500}$/

/**
 * Returns the page where somebody wanted to go before signing in (the query `next`), as a path with
 * its query and fragment. Anything that is no page of this server gives the front page: another
 * site, a call below /api, the login itself.
 */
export function nextPath(wanted: string | null | undefined): string {
  if (!wanted || !printable.test(wanted)) return home
  const [path = ''] = wanted.split(/[?#]/, 1)
  const [page, first] = pagePath.exec(path) ?? []
  const isGoal = page !== undefined && !noGoal.includes(first ?? '')
  return isGoal ? wanted : home
}

/** Returns the address of a page that hands `next` on, which is left out for the front page. */
export function withNext(path: string, next: string): string {
  return next === home ? path : `${path}?next=${encodeURIComponent(next)}`
}
