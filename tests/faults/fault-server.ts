import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../support/child-program.ts'
import type { Command, CommandResult, NumberedCommand, ServerOptions } from './commands.ts'

const program = fileURLToPath(new URL('server-process.ts', import.meta.url))

/** A server in a child process, which can be killed and restarted on the same port. */
export interface FaultServer {
  url: string
  /** The time on the server's clock. The clock keeps its setting when the server restarts. */
  now(): Date
  setClock(now: Date): Promise<void>
  /** Runs a command in the server process. Returns an error message, or null on success. */
  run(command: Command): Promise<string | null>
  kill(): Promise<void>
  /**
   * Starts the server unless it is running. Rejects if it fails to start or is killed before it is
   * ready.
   */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Creates a server without starting it.
 * @param hasStandby keeps a spare process ready, which saves time if the server is killed often.
 */
export function createFaultServer(options: ServerOptions, hasStandby: boolean): FaultServer {
  let child: ChildProcess | null = null
  /**
   * A spare process that has already loaded its modules, which takes up most of the startup time.
   */
  let standby: ChildProcess | null = null
  let now = options.now
  let commandCount = 0
  const pendingCommands = new Map<number, (failure: string | null) => void>()

  const onResult = ({ number, failure }: CommandResult) => {
    pendingCommands.get(number)?.(failure)
    pendingCommands.delete(number)
  }
  const onExit = () => {
    child = null
    for (const resolve of pendingCommands.values()) resolve('the server died')
    pendingCommands.clear()
  }
  const run = (command: Command) =>
    new Promise<string | null>((resolve) => {
      if (child === null) return resolve('the server does not run')
      commandCount += 1
      pendingCommands.set(commandCount, resolve)
      // If the command can't be sent, the server has just died, and `onExit` resolves this promise.
      child.send({ ...command, number: commandCount } satisfies NumberedCommand, () => {})
    })
  const spawnServer = () =>
    fork(program, {
      env: {
        ...process.env,
        ...childEnvironment,
        SERVER_OPTIONS: JSON.stringify(options),
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  const kill = async () => {
    if (child !== null) await killProcess(child)
  }

  return {
    url: `http://127.0.0.1:${options.port}`,
    now: () => new Date(now),
    async setClock(time) {
      now = time.getTime()
      await run({ type: 'set-clock', now })
    },
    run,
    kill,
    async start() {
      if (child !== null) return
      child = standby ?? spawnServer()
      standby = null
      child.on('message', onResult)
      child.once('exit', onExit)
      const failure = await run({ type: 'serve', now })
      if (failure !== null) throw new Error(`The server did not start: ${failure}`)
      if (hasStandby) standby = spawnServer()
    },
    async close() {
      await kill()
      if (standby) await killProcess(standby)
    },
  }
}

async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exitPromise = once(child, 'exit')
  child.kill('SIGKILL')
  await exitPromise
}
