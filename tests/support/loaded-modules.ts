import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Writes the address of every module that is loaded to the standard output. */
const tellLoads = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { console.log(url); return next(url, context) } })`

/**
 * Imports a module in a process of its own.
 * @param path from the root of the project.
 * @param env the environment of that process.
 * @returns the addresses of all modules that were loaded, also that of the module itself. It
 * returns them even if the process fails after that.
 */
export function loadedModules(path: string, env: Record<string, string> = {}): Promise<string[]> {
  const hook = `data:text/javascript,${encodeURIComponent(tellLoads)}`
  const program = `await import('${pathToFileURL(resolve(path))}')`
  const args = ['--import', hook, '--input-type=module', '--eval', program]
  return new Promise((tell) => {
    execFile(process.execPath, args, { env }, (_, output) => tell(output.split('\n')))
  })
}
