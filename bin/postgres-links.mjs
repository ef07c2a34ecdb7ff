import { lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * Returns the symbolic links that the libraries of an embedded Postgres lack, because npm packages
 * can't contain links.
 * @param folder the package with `native/pg-symlinks.json`, installed or not.
 */
export function findMissingPostgresLinks(folder) {
  return readLinks(folder)
    .map(({ source, target }) => ({ link: join(folder, target), target: basename(source) }))
    .filter(({ link }) => !lstatSync(link, { throwIfNoEntry: false }))
}

export function makePostgresLinks(folder) {
  for (const { link, target } of findMissingPostgresLinks(folder)) symlinkSync(target, link)
}

function readLinks(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'native/pg-symlinks.json'), 'utf8'))
  } catch {
    return []
  }
}
