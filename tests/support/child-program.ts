import { dirname, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** The environment in which a test runs a server or command of this repository. */
export const childEnvironment = {
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  // Node compiles the code only once.
  NODE_COMPILE_CACHE: resolve(root, 'node_modules/.cache/node'),
}

/** Returns the path of a bundled program, as `npm start` and the package run it. */
export function findProgram(name: 'start' | 'add' | 'backup' | 'check' | 'restore'): string {
  return resolve(root, `dist/server/${name}.js`)
}
