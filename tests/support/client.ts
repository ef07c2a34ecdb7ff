import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const client = resolve('dist/web/mayfly.mjs')

/** How the command line client runs: its environment and directory. */
export interface ClientOptions {
  env: Record<string, string>
  cwd?: string
}

/** What the client has printed, and its exit code, which is null if a signal ended it. */
export interface ClientResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Starts the client that the server serves. */
export function startClient(
  args: readonly string[],
  { env, cwd }: ClientOptions,
): { child: ChildProcessWithoutNullStreams; result: Promise<ClientResult> } {
  const child = spawn(process.execPath, [client, ...args], {
    env,
    ...(cwd && { cwd }),
  })
  child.stdin.end()
  const result = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      result[name] += text
    })
  }
  const resultPromise = once(child, 'close').then(([code]) => ({ code, ...result }))
  return { child, result: resultPromise }
}

export function runClient(args: readonly string[], options: ClientOptions): Promise<ClientResult> {
  return startClient(args, options).result
}
