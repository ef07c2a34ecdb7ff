/**
 * Shortens what the installed drizzle-orm exports in its package.json. It names its 446 modules one
 * by one there, in 175 KB. Node parses that list again for every import of one of these modules,
 * also for those between them. This took two fifths of the server's start
 * (docs/decisions/060-a-short-list-of-drizzles-modules.md).
 */
import { accessSync, constants, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const manifestFile = fileURLToPath(
  new URL('../node_modules/drizzle-orm/package.json', import.meta.url),
)

/** Where the module of a name is, if the list does not say another place. */
const pattern = './*'
const placesOfPattern = { require: './*.cjs', default: './*.js' }

/**
 * Tells whether drizzle-orm still has its own, long list, and it can be replaced. The answer is no
 * if there is no such list, or if its folder cannot be written. Everything works without the short
 * list, so this never throws.
 */
export function exportsAreLong(file = manifestFile) {
  try {
    const { exports } = readManifest(file)
    accessSync(dirname(file), constants.W_OK)
    return Object.hasOwn(exports, '.') && !Object.hasOwn(exports, pattern)
  } catch {
    return false
  }
}

/**
 * Writes the short list. A program that reads the file meanwhile gets the long list or the short
 * one as a whole. If the file cannot be written, this says so on standard error: the server then
 * only starts more slowly.
 */
export function shortenExports(file = manifestFile) {
  try {
    const manifest = readManifest(file)
    const written = `${file}.${process.pid}`
    writeFileSync(written, JSON.stringify({ ...manifest, exports: shorten(manifest.exports) }))
    renameSync(written, file)
  } catch (error) {
    console.error(`It stays long: ${error.message}`)
  }
}

/**
 * Returns a list by which every name leads to the same two files as before, one for `import` and
 * one for `require`. One pattern stands for all modules whose file is called like the module.
 * TypeScript finds the types beside these files.
 */
export function shorten(exports) {
  const others = Object.entries(exports).flatMap(([name, entry]) => {
    const places = { require: entry?.require?.default, default: entry?.import?.default }
    if (!places.require || !places.default) return [[name, entry]]
    const isByPattern = places.default === `${name}.js` && places.require === `${name}.cjs`
    return isByPattern ? [] : [[name, places]]
  })
  return { ...Object.fromEntries(others), [pattern]: placesOfPattern }
}

function readManifest(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
