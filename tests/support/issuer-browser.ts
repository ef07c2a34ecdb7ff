import type { Client } from './make.ts'
import { makeClient } from './make.ts'

/** A minimal browser for sign-ins, with cookies per host and redirects. */
export interface TestBrowser extends Client {
  /**
   * Opens a URL and follows redirects until `until` returns true for the next one, which isn't
   * opened. Returns the last URL.
   */
  open(address: string, until?: (url: URL) => boolean): Promise<URL>
  /** The app's cookies as a Cookie header. */
  cookie(): string
  /** Deletes an origin's cookies. */
  forget(origin: string): void
}

type Server = { url: string }

/** Creates a browser without cookies, or with those of a signed-in user. */
export function makeBrowser(app: Server, cookies = ''): TestBrowser {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (url: URL) => {
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    return jar
  }
  const headerOf = (url: URL) =>
    Array.from(jarOf(url), ([name, value]) => `${name}=${value}`).join('; ')
  const keep = (url: URL, response: Response) => {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';', 1)
      const at = pair.indexOf('=')
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie))
        jarOf(url).delete(name)
      else jarOf(url).set(name, value)
    }
  }
  const home = new URL(app.url)
  const browser: TestBrowser = {
    async fetch(path, init = {}) {
      const url = new URL(path, home)
      const headers = { ...init.headers, cookie: headerOf(url) }
      const response = await makeClient(app).fetch(url.href, { ...init, headers })
      keep(url, response)
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
    async open(address, until = () => false) {
      let url = new URL(address, home)
      for (let hop = 0; hop < 20 && !until(url); hop += 1) {
        const response = await browser.fetch(url.href)
        const location = response.headers.get('location')
        await response.body?.cancel()
        if (location === null) return url
        url = new URL(location, url)
      }
      return url
    },
    cookie: () => headerOf(home),
    forget: (origin) => jarOf(new URL(origin)).clear(),
  }
  for (const pair of cookies.split('; ').filter(Boolean)) {
    const at = pair.indexOf('=')
    jarOf(home).set(pair.slice(0, at), pair.slice(at + 1))
  }
  return browser
}
