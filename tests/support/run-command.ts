import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { childEnvironment, findProgram } from './child-program.ts'

export type CommandName = Exclude<Parameters<typeof findProgram>[0], 'start'>

/**
 * Runs a command of the package, such as `mayfly add`, and waits for its exit.
 * @param interruption when to interrupt it.
 */
export function runCommand(
  command: CommandName,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string>; interruption?: Promise<void> },
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { cwd, env = {}, interruption } = options
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [findProgram(command), ...args],
      { cwd, env: { ...childEnvironment, ...env } },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
    void interruption?.then(async () => {
      child.kill('SIGINT')
      // A launcher passes on what a terminal sends to both of them.
      await setTimeout(5)
      child.kill('SIGINT')
    })
  })
}
