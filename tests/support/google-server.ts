import type { TestApp, TestAppOptions } from './app-server.ts'
import { findFreePort } from './free-port.ts'
import { makeBrowser, type TestBrowser } from './issuer-browser.ts'
import { type IssuerPerson, type OidcIssuer, startOidcIssuer } from './oidc-issuer.ts'

/** A server with a local OpenID Connect issuer in place of Google. */
export interface GoogleApp {
  app: TestApp
  issuer: OidcIssuer
  /**
   * Signs a person in, using a new browser unless one is given. Returns the browser and the path of
   * the page where it ended up.
   */
  signIn(
    person: IssuerPerson | null,
    options?: { browser?: TestBrowser; next?: string },
  ): Promise<{ browser: TestBrowser; path: string }>
  close(): Promise<void>
}

export interface GoogleAppOptions {
  env?: Record<string, string>
  /**
   * If true, the ID token contains only the subject and no other claims. See `OidcIssuerOptions`.
   */
  conformIdTokenClaims?: boolean
}

/** Starts an issuer, then calls `serve` to start a server configured to use it. */
export async function serveGoogleApp(
  serve: (options: TestAppOptions) => Promise<TestApp>,
  options: GoogleAppOptions = {},
): Promise<GoogleApp> {
  const port = await findFreePort()
  const app = await serve({
    env: {
      GOOGLE_ISSUER: `http://127.0.0.1:${port}`,
      GOOGLE_CLIENT_ID: 'mayfly',
      GOOGLE_CLIENT_SECRET: 'the-secret-of-the-client',
      ...options.env,
    },
  })
  const issuer = await startOidcIssuer({
    port,
    client: { id: 'mayfly', secret: 'the-secret-of-the-client' },
    redirectUri: `${app.url}/api/auth/callback/google`,
    conformIdTokenClaims: options.conformIdTokenClaims ?? false,
  })
  return {
    app,
    issuer,
    async signIn(person, { browser = makeBrowser(app), next } = {}) {
      issuer.person = person
      browser.clearCookies(issuer.url)
      const startUrl =
        next === undefined ? '/api/login' : `/api/login?next=${encodeURIComponent(next)}`
      const finalUrl = await browser.open(startUrl, (url) => isAppPage(app, url))
      return { browser, path: finalUrl.href.slice(app.url.length) }
    },
    async close() {
      await app.close()
      await issuer.close()
    },
  }
}

/**
 * Returns true if the URL is a page of the app rather than an API call. A test browser can stop
 * following redirects there.
 */
export function isAppPage(app: Pick<TestApp, 'url'>, url: URL): boolean {
  return url.origin === app.url && !url.pathname.startsWith('/api/')
}
