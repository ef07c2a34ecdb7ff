import { execFile } from 'node:child_process'
import { childEnvironment, findProgram } from './child-program.ts'

export type CommandName = Exclude<Parameters<typeof findProgram>[0], 'start'>

/** Runs a command of the package, such as `mayfly add`, and waits for its exit. */
export function runCommand(
  command: CommandName,
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [findProgram(command), ...args],
      { cwd, env: { ...childEnvironment, ...env } },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}
