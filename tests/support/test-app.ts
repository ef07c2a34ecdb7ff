import { serveApp, type TestApp, type TestAppOptions } from './app-server.ts'
import { freshDatabase } from './postgres.ts'

export type { TestApp }

/** Starts a server for one test file. Its clock stands still until a test advances it. */
export async function startTestApp(options?: TestAppOptions): Promise<TestApp> {
  return serveApp(await freshDatabase(), options)
}
