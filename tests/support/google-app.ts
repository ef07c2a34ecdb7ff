import { type GoogleApp, type GoogleAppOptions, serveGoogleApp } from './google-server.ts'
import { startTestApp } from './test-app.ts'

export { type GoogleApp, isAppPage as isPage } from './google-server.ts'

/** Starts a server for one test file, with a fake Google to sign in with. */
export function startGoogleApp(options?: GoogleAppOptions): Promise<GoogleApp> {
  return serveGoogleApp(startTestApp, options)
}
