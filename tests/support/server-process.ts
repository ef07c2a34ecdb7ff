import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { childEnvironment, findProgram, root } from './child-program.ts'
import { hangTimeoutMs } from './hang-timeout.ts'

const pollMs = 20

/**
 * The real server in a separate process, as `npm start` runs it. It uses embedded Postgres unless
 * the settings specify another database.
 */
export interface ServerProcess {
  /** The server's public origin. */
  url: string
  pid: number
  kill(signal: NodeJS.Signals): void
  /** Resolves with the exit code, or with null if a signal killed the process. */
  exitCode: Promise<number | null>
}

/**
 * Starts the server on a new or existing data directory, and waits until it is ready. The caller
 * must stop it.
 * @throws the server's output if it exits.
 */
export async function startServerProcess(settings: {
  dataDir: string
  port: number
  /** Settings for the server, as environment variables. */
  env?: Record<string, string>
}): Promise<ServerProcess> {
  const { dataDir, port, env } = settings
  const child = spawn(process.execPath, [findProgram('start')], {
    cwd: root,
    env: {
      ...childEnvironment,
      DATA_DIR: dataDir,
      PORT: String(port),
      RATE_LIMITS: 'off',
      MIN_FREE_SPACE: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exitCodePromise = once(child, 'exit').then(([code]) => code)
  const stderrPromise = text(child.stderr)
  const readyLogPromise = waitForOutput(child.stderr, 'Mayfly is ready')
  const url = env?.APP_URL ?? `http://127.0.0.1:${port}`
  await waitForReady(child, `http://127.0.0.1:${port}`, stderrPromise)
  // Another program may have taken the port, and a response from it could be mistaken for the
  // server's.
  const isOwnServer = await Promise.race([
    readyLogPromise.then(() => true),
    exitCodePromise.then(() => false),
  ])
  if (!isOwnServer) throw new Error(`The server has ended: ${await stderrPromise}`)
  return {
    url,
    pid: child.pid ?? 0,
    exitCode: exitCodePromise,
    kill: (signal) => void child.kill(signal),
  }
}

function waitForOutput(stream: Readable, expectedText: string): Promise<void> {
  let output = ''
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
      if (output.includes(expectedText)) resolve()
    })
  })
}

async function waitForReady(child: ChildProcess, url: string, stderrPromise: Promise<string>) {
  const timeoutSignal = AbortSignal.timeout(hangTimeoutMs)
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The server has ended: ${await stderrPromise}`)
    }
    const response = await fetch(`${url}/api/ready`).catch(() => null)
    if (response?.ok) return
    timeoutSignal.throwIfAborted()
    await wait(pollMs)
  }
}
