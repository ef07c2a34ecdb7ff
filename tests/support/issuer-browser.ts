import type { Client } from './make.ts'
import { makeClient } from './make.ts'

/**
 * A minimal browser for signing in. It follows redirects and keeps separate cookies for each host.
 */
export interface TestBrowser extends Client {
  /**
   * Opens a URL and follows redirects until `shouldStop` returns true for the next URL. Returns
   * that URL without opening it, or else the last URL opened.
   */
  open(address: string, shouldStop?: (url: URL) => boolean): Promise<URL>
  /** Returns the app's cookies, formatted as a Cookie header. */
  cookie(): string
  clearCookies(origin: string): void
}

type Server = { url: string }

/** Creates a browser that has these cookies for the app. By default it has none. */
export function makeBrowser(app: Server, cookies = ''): TestBrowser {
  const jars = new Map<string, Map<string, string>>()
  const getJar = (url: URL) => {
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    return jar
  }
  const getCookieHeader = (url: URL) =>
    Array.from(getJar(url), ([name, value]) => `${name}=${value}`).join('; ')
  const storeCookies = (url: URL, response: Response) => {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';', 1)
      const separatorIndex = pair.indexOf('=')
      const [name, value] = [pair.slice(0, separatorIndex), pair.slice(separatorIndex + 1)]
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie))
        getJar(url).delete(name)
      else getJar(url).set(name, value)
    }
  }
  const appUrl = new URL(app.url)
  const browser: TestBrowser = {
    async fetch(path, init = {}) {
      const url = new URL(path, appUrl)
      const headers = { ...init.headers, cookie: getCookieHeader(url) }
      const response = await makeClient(app).fetch(url.href, { ...init, headers })
      storeCookies(url, response)
      return response
    },
    post: (path, body) =>
      browser.fetch(path, {
        method: 'POST',
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      }),
    async open(address, shouldStop = () => false) {
      let url = new URL(address, appUrl)
      for (let hop = 0; hop < 20 && !shouldStop(url); hop += 1) {
        const response = await browser.fetch(url.href)
        const location = response.headers.get('location')
        await response.body?.cancel()
        if (location === null) return url
        url = new URL(location, url)
      }
      return url
    },
    cookie: () => getCookieHeader(appUrl),
    clearCookies: (origin) => getJar(new URL(origin)).clear(),
  }
  for (const pair of cookies.split('; ').filter(Boolean)) {
    const separatorIndex = pair.indexOf('=')
    getJar(appUrl).set(pair.slice(0, separatorIndex), pair.slice(separatorIndex + 1))
  }
  return browser
}
