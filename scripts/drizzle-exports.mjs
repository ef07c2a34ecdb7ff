/**
 * Shortens what the installed drizzle-orm exports in its package.json. It names its 446 modules one
 * by one there, in 175 KB. Node parses that list again for every import of one of these modules,
 * also for those between them. This took two fifths of the server's start
 * (docs/decisions/060-a-short-list-of-drizzles-modules.md).
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const manifestFile = fileURLToPath(
  new URL('../node_modules/drizzle-orm/package.json', import.meta.url),
)

/** Where the module of a name is, if the list does not say another place. */
const pattern = './*'
const placesOfPattern = { require: './*.cjs', default: './*.js' }

/** Tells whether the installed drizzle-orm still has its own, long list. */
export function exportsAreLong() {
  return !Object.hasOwn(readManifest().exports, pattern)
}

/** Writes the short list. Whoever reads the file meanwhile gets the one or the other as a whole. */
export function shortenExports() {
  const manifest = readManifest()
  const written = `${manifestFile}.${process.pid}`
  writeFileSync(written, JSON.stringify({ ...manifest, exports: shorten(manifest.exports) }))
  renameSync(written, manifestFile)
}

/**
 * Returns a list by which every name leads to the same two files, one for `import` and one for
 * `require`. One pattern stands for all modules whose file is called like the module. TypeScript
 * finds the types beside these files.
 */
export function shorten(exports) {
  const others = Object.entries(exports).flatMap(([name, entry]) => {
    const places = { require: entry.require?.default, default: entry.import?.default }
    if (!places.require || !places.default) return [[name, entry]]
    const isByPattern = places.default === `${name}.js` && places.require === `${name}.cjs`
    return isByPattern ? [] : [[name, places]]
  })
  return { ...Object.fromEntries(others), [pattern]: placesOfPattern }
}

function readManifest() {
  return JSON.parse(readFileSync(manifestFile, 'utf8'))
}
