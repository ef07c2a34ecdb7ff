import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import type { TestApp } from './app-server.ts'

const root = resolve(import.meta.dirname, '../..')

/**
 * Runs `scripts/add.ts` with the settings of a running server.
 * @param env the server's settings beyond those of every test server.
 */
export function runAdd(
  { deps: { config } }: TestApp,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const settings = {
    PATH: process.env.PATH ?? '',
    // Shares the compile cache with `npm start`, so that scripts start faster.
    NODE_COMPILE_CACHE: resolve(root, 'node_modules/.cache/node'),
    APP_URL: config.appUrl.origin,
    DATA_DIR: config.dataDir,
    DATABASE_URL: config.databaseUrl ?? '',
    MIN_FREE_SPACE: '0',
    ...env,
  }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'scripts/add.ts', ...args],
      { cwd: root, env: settings },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}
