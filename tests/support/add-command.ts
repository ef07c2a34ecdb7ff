import { execFile } from 'node:child_process'
import type { TestApp } from './app-server.ts'
import { childEnvironment, findProgram, root } from './child-program.ts'

/**
 * Runs `mayfly add` with the settings of a running server.
 * @param env the server's settings beyond those of every test server.
 */
export function runAdd(
  { deps: { config } }: TestApp,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const settings = {
    ...childEnvironment,
    APP_URL: config.appUrl.origin,
    DATA_DIR: config.dataDir,
    DATABASE_URL: config.databaseUrl ?? '',
    MIN_FREE_SPACE: '0',
    ...env,
  }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [findProgram('add'), ...args],
      { cwd: root, env: settings },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}
