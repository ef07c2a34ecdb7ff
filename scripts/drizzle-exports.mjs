/**
 * Shortens the `exports` in the package.json of the installed drizzle-orm, which list 446 modules
 * in 175 KB. Otherwise, each import of one of these modules makes Node parse the whole list, which
 * took two fifths of the server's startup time.
 */
import { accessSync, constants, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const manifestFile = fileURLToPath(
  new URL('../node_modules/drizzle-orm/package.json', import.meta.url),
)

/** Resolves modules that aren't listed by name. */
const pattern = './*'
const patternTargets = { require: './*.cjs', default: './*.js' }

/**
 * True if drizzle-orm still has its long list of exports and the list can be replaced. Never
 * throws, because shortening the list is only an optimization.
 */
export function hasLongExports(file = manifestFile) {
  try {
    const { exports } = readManifest(file)
    accessSync(dirname(file), constants.W_OK)
    return Object.hasOwn(exports, '.') && !Object.hasOwn(exports, pattern)
  } catch {
    return false
  }
}

/**
 * Replaces the list of exports with the short one, atomically. A failure is only logged, because
 * the long list merely slows down startup.
 */
export function shortenExports(file = manifestFile) {
  try {
    const manifest = readManifest(file)
    const temporaryFile = `${file}.${process.pid}`
    writeFileSync(
      temporaryFile,
      JSON.stringify({ ...manifest, exports: shorten(manifest.exports) }),
    )
    renameSync(temporaryFile, file)
  } catch (error) {
    console.error(`drizzle-orm's exports stay long: ${error.message}`)
  }
}

/**
 * Replaces the entries for all modules named after their files with a single pattern. Each name
 * still resolves to the same file for `import`, and likewise for `require`. TypeScript finds the
 * types next to those files.
 */
export function shorten(exports) {
  const exceptions = Object.entries(exports).flatMap(([name, entry]) => {
    const targets = { require: entry?.require?.default, default: entry?.import?.default }
    if (!targets.require || !targets.default) return [[name, entry]]
    const matchesPattern = targets.default === `${name}.js` && targets.require === `${name}.cjs`
    return matchesPattern ? [] : [[name, targets]]
  })
  return { ...Object.fromEntries(exceptions), [pattern]: patternTargets }
}

function readManifest(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
