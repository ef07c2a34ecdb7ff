/**
 * Shortens the `exports` of the installed drizzle-orm, which list 446 modules in 175 KB. Node
 * parses them at every import of one of these modules, which took two fifths of the server's start.
 */
import { accessSync, constants, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const manifestFile = fileURLToPath(
  new URL('../node_modules/drizzle-orm/package.json', import.meta.url),
)

/** Where a module is unless listed otherwise. */
const pattern = './*'
const placesOfPattern = { require: './*.cjs', default: './*.js' }

/**
 * Whether drizzle-orm has its long list and it can be replaced. Never throws, because the short
 * list is only an optimization.
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
 * Writes the short list atomically. If that fails, it says so; the server then starts more slowly.
 */
export function shortenExports(file = manifestFile) {
  try {
    const manifest = readManifest(file)
    const written = `${file}.${process.pid}`
    writeFileSync(written, JSON.stringify({ ...manifest, exports: shorten(manifest.exports) }))
    renameSync(written, file)
  } catch (error) {
    console.error(`drizzle-orm's exports stay long: ${error.message}`)
  }
}

/**
 * Replaces modules named like their file by one pattern, so that every name resolves to the same
 * files for `import` and `require`. TypeScript finds the types beside them.
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
