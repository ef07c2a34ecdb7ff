/**
 * The program that fault-server.ts runs as a child process: the real server with a clock that its
 * parent sets. It loads its modules, then waits for commands.
 */
import { inspect } from 'node:util'
import { testClock } from '../support/test-clock.ts'
import {
  type CommandResult,
  isCommand,
  type NumberedCommand,
  type RunCommand,
  type ServerOptions,
} from './commands.ts'

const options: ServerOptions = JSON.parse(process.env.SERVER_OPTIONS ?? '{}')
const clock = testClock(new Date(options.now))
const serveRequested = Promise.withResolvers<void>()

function reply(result: CommandResult): void {
  process.send?.(result)
}

async function serve(): Promise<RunCommand> {
  const { startServer } = await import('./server-app.ts')
  await serveRequested.promise
  return startServer(options, clock)
}

async function handle(command: NumberedCommand): Promise<void> {
  if (command.type === 'serve') {
    clock.set(new Date(command.now))
    serveRequested.resolve()
    await commandRunnerPromise
  } else if (command.type === 'set-clock') clock.set(new Date(command.now))
  else await (await commandRunnerPromise)(command)
}

const commandRunnerPromise = serve()
process.on('message', (message: unknown) => {
  if (!isCommand(message)) return
  const { number } = message
  handle(message).then(
    () => reply({ number, failure: null }),
    (error) => reply({ number, failure: inspect(error) }),
  )
})
// Exit when the parent process exits.
process.on('disconnect', () => process.exit(0))
await commandRunnerPromise
