import Bowser from 'bowser'

/** A browser's own text is shorter. Reading an endless one would cost time. */
const longestUserAgent = 512

const browsers = new Set<string>(Object.values(Bowser.BROWSER_MAP))
const systems = new Set<string>(Object.values(Bowser.OS_MAP))

/**
 * Names the browser of a request for people: 'Firefox on Linux', or 'Firefox' where the system is
 * unknown. Null for a missing header and for anything that is no known browser.
 * The client writes the header as it likes, and the name stands in letters to other people. So only
 * names from the library's own lists are returned, never words of the header.
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
