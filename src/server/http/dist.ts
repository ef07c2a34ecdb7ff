import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, StartupError } from '../errors.ts'

/**
 * Reads a file of the built web as text.
 * @throws {StartupError} when the file is missing.
 */
export function readBuilt(distDir: string, file: string): string {
  try {
    return readFileSync(join(distDir, file), 'utf8')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    throw new StartupError(
      `The web is not built (${join(distDir, file)} is missing): npm run build`,
    )
  }
}
