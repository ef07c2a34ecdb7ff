import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** The environment of a shell in which nothing of this clone is found. */
export const shellEnvironment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_cache$)/.test(name)),
  ),
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
  npm_config_prefer_offline: 'true',
}

/** The environment of an installed server, which only this machine can reach. */
export const serverEnvironment = { ...shellEnvironment, HOST: '127.0.0.1', MIN_FREE_SPACE: '0' }

/** Installs a package into a folder, as an operator does. Returns the path of its program. */
export async function installPackage(packageFile: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', packageFile]
  await promisify(execFile)('npm', args, { cwd: folder, env: shellEnvironment })
  return join(folder, 'node_modules/.bin/mayfly')
}
