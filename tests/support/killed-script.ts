import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'

const root = resolve(import.meta.dirname, '../..')

/**
 * Where a script is killed: before the `count`-th step that `before` matches, or before the first
 * that `atLatest` matches. `kill-before.ts` says what a step is.
 */
export interface KillPoint {
  before: RegExp
  count: number
  atLatest?: RegExp
}

/**
 * Runs a script of the repository, such as `scripts/backup.ts`, and kills it with SIGKILL.
 * @returns the step that it was killed before, or null if it ended by itself, and what it printed
 * to the standard error.
 */
export async function runKilled(
  [script, ...args]: readonly [string, ...string[]],
  env: Record<string, string>,
  { before, count, atLatest }: KillPoint,
): Promise<{ killedBefore: string | null; said: string }> {
  const preload = resolve(import.meta.dirname, 'kill-before.ts')
  const child = spawn(process.execPath, ['--import', preload, script, ...args], {
    cwd: root,
    env: {
      ...process.env,
      ...env,
      KILL_BEFORE: before.source,
      KILL_COUNT: String(count),
      ...(atLatest && { KILL_AT_LATEST: atLatest.source }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  const said = await text(child.stderr)
  const [, signal] = await ended
  const [, step = null] = /^Killed before: (.*)/m.exec(said) ?? []
  return { killedBefore: signal === 'SIGKILL' ? step : null, said }
}
