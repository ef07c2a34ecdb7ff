import { type GoogleApp, type GoogleAppOptions, serveGoogleApp } from './google-server.ts'
import { startTestApp } from './test-app.ts'

export { type GoogleApp, isAppPage as isPage } from './google-server.ts'

/** Starts a server with a fake Google for one test file. */
export function startGoogleApp(options?: GoogleAppOptions): Promise<GoogleApp> {
  return serveGoogleApp(startTestApp, options)
}
