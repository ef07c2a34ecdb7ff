import type { TestApp } from './app-server.ts'
import { root } from './child-program.ts'
import { runCommand } from './run-command.ts'

/**
 * Runs `mayfly add` with the settings of a running server.
 * @param env the server's settings beyond those of every test server.
 */
export function runAdd(
  { deps: { config } }: TestApp,
  args: readonly string[],
  env: Record<string, string> = {},
  interruption: Promise<void> | undefined = undefined,
): ReturnType<typeof runCommand> {
  const settings = {
    APP_URL: config.appUrl.origin,
    DATA_DIR: config.dataDir,
    DATABASE_URL: config.databaseUrl ?? '',
    MIN_FREE_SPACE: '0',
    ...env,
  }
  const options = { cwd: root, env: settings, ...(interruption && { interruption }) }
  return runCommand('add', args, options)
}
