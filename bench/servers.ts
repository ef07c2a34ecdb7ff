import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { environment } from './machine.ts'

/** Startup can take minutes on a busy machine. */
const startTimeoutMs = 300_000
const stopTimeoutMs = 40_000
const pollMs = 2

export interface StartedServer {
  pid: number
  /** Time from starting the process to the first 2xx response, in milliseconds. */
  readyMs: number
  stop(): Promise<void>
}

/**
 * Starts a server and waits until `url` returns a 2xx response.
 * @throws if the server exits or takes more than five minutes.
 */
export async function startServer(
  [command = '', ...args]: string[],
  options: { url: string; logFile: string; cwd?: string; env?: Record<string, string> },
): Promise<StartedServer> {
  const logFd = openSync(options.logFile, 'a')
  const startedAt = performance.now()
  const child = spawn(command, args, {
    stdio: ['ignore', logFd, logFd],
    cwd: options.cwd,
    env: { ...environment, ...options.env },
  })
  closeSync(logFd)
  const startFailurePromise = new Promise<never>((_resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      reject(new Error(`${command} ended with ${code}; see ${options.logFile}`))
    })
  })
  startFailurePromise.catch(() => {})
  try {
    await Promise.race([startFailurePromise, waitUntilReady(options.url)])
  } catch (error) {
    await stopProcess(child)
    throw error
  }
  const readyMs = performance.now() - startedAt
  if (child.pid === undefined) throw new Error(`${command} has no process`)
  return { pid: child.pid, readyMs, stop: () => stopProcess(child) }
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = AbortSignal.timeout(startTimeoutMs)
  for (;;) {
    const response = await fetch(url, { signal: deadline }).catch(() => null)
    await response?.arrayBuffer()
    if (response?.ok) return
    deadline.throwIfAborted()
    await wait(pollMs)
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exitPromise = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await exitPromise
  clearTimeout(timer)
}
