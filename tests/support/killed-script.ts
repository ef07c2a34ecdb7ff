import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { childEnvironment, root } from './child-program.ts'

/**
 * When a script is killed: before the `count`-th step that matches `before`, or before the first
 * that matches `atLatest`. See kill-before.ts.
 */
export interface KillPoint {
  before: RegExp
  count: number
  atLatest?: RegExp
}

/**
 * Runs a script, such as `scripts/backup.ts`, and kills it before the chosen step.
 * @returns the script's stderr and the step before which it was killed. The step is null if the
 * script exited by itself.
 */
export async function runAndKill(
  [script, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
  { before, count, atLatest }: KillPoint,
): Promise<{ killedBefore: string | null; output: string }> {
  const preloadPath = resolve(import.meta.dirname, 'kill-before.ts')
  const child = spawn(process.execPath, ['--import', preloadPath, script, ...args], {
    cwd: root,
    env: {
      ...process.env,
      ...childEnvironment,
      ...env,
      KILL_BEFORE: before.source,
      KILL_COUNT: String(count),
      ...(atLatest && { KILL_AT_LATEST: atLatest.source }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closePromise = once(child, 'close')
  const output = await text(child.stderr)
  const [, signal] = await closePromise
  const [, step = null] = /^Killed before: (.*)/m.exec(output) ?? []
  return { killedBefore: signal === 'SIGKILL' ? step : null, output }
}
