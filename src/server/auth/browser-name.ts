import Bowser from 'bowser'

/** Keeps an oversized header from slowing down the parser. Real headers are shorter. */
const maxUserAgentLength = 512

const browsers = new Set<string>(Object.values(Bowser.BROWSER_MAP))
const systems = new Set<string>(Object.values(Bowser.OS_MAP))

/**
 * Returns a display name for the browser: 'Firefox on Linux', or 'Firefox' if the system is
 * unknown. Returns null if the header is missing or the browser is unknown.
 *
 * Clients control the header, and the name appears in emails to other people. So the name is built
 * from the parser library's own lists and never contains text from the header.
 * @param userAgent the `User-Agent` header.
 */
export function browserName(userAgent: string | null | undefined): string | null {
  if (!userAgent) return null
  const { browser, os } = Bowser.parse(userAgent.slice(0, maxUserAgentLength))
  if (!browser.name || !browsers.has(browser.name)) return null
  const system = os.name && systems.has(os.name) ? os.name : null
  const isSystemRedundant = system === null || browser.name.includes(system)
  return isSystemRedundant ? browser.name : `${browser.name} on ${system}`
}
