import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { eventually } from './eventually.ts'
import { findFreePort } from './free-port.ts'

export interface ProgramRun {
  child: ChildProcess
  url: string
  stdout: Promise<string>
  stderr: Promise<string>
  /** Resolves with the exit code. */
  ended: Promise<number | null>
}

/** Runs a program of an installed package, with a free port as PORT. */
export async function runProgram(
  [command = '', ...args]: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<ProgramRun> {
  const port = await findFreePort()
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...options.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    stdout: text(child.stdout),
    stderr: text(child.stderr),
    ended: once(child, 'exit').then(([code]) => code),
  }
}

/** Resolves when the server responds. Rejects with its messages if it has exited. */
export async function waitUntilReady(run: ProgramRun): Promise<void> {
  const ended = run.ended.then(async () => Promise.reject(new Error(await run.stderr)))
  const ready = eventually(async () => {
    const { ok } = await fetch(`${run.url}/api/ready`)
    if (!ok) throw new Error('not ready')
  })
  await Promise.race([ended, ready])
  ended.catch(() => {})
}
