import { dirname, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** Suppresses Node 24.0.0's warning that TypeScript support is experimental. */
export const nodeFlags = ['--disable-warning=ExperimentalWarning']

/** The environment in which a test runs the sources of a server or command. */
export const childEnvironment = {
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  // Node compiles the sources only once.
  NODE_COMPILE_CACHE: resolve(root, 'node_modules/.cache/node'),
}
