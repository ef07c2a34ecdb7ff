import Bowser from 'bowser'

/**
 * The header of a real browser is shorter than this. Reading a very long one would cost too much
 * time.
 */
const longestUserAgent = 512

const browsers = new Set<string>(Object.values(Bowser.BROWSER_MAP))
const systems = new Set<string>(Object.values(Bowser.OS_MAP))

/**
 * Returns a name of the request's browser for people: 'Firefox on Linux', or 'Firefox' if the
 * system is unknown. Returns null for a missing header and for an unknown browser.
 *
 * A client can send any header, and the name appears in emails to other people. So only names from
 * the library's own lists are returned, never words of the header.
 * @param userAgent the header `User-Agent`.
 */
export function browserName(userAgent: string | null | undefined): string | null {
  if (!userAgent) return null
  const { browser, os } = Bowser.parse(userAgent.slice(0, longestUserAgent))
  if (!browser.name || !browsers.has(browser.name)) return null
  const system = os.name && systems.has(os.name) ? os.name : null
  const isSaid = system === null || browser.name.includes(system)
  return isSaid ? browser.name : `${browser.name} on ${system}`
}
