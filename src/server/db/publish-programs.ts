import {
  chmod,
  constants,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf } from '../errors.ts'

/** Where the copies are made. Only root can write there, and every user can read there. */
const home = '/var/lib/mayfly'

/**
 * Copies the Postgres programs from a private folder to one where any user can run them, once for
 * each version. Postgres looks up its own path. So it cannot run from a private folder, even if the
 * server opens that folder for it. Files are linked where possible, which takes no space.
 * @param programs the folder with `bin`, `lib` and `share`, in its npm package.
 * @param publicFolder the destination. Only root may be able to write to it.
 * @returns the folder that holds the copy.
 * @throws when the destination cannot be written.
 */
export async function publishPrograms(programs: string, publicFolder = home): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(programs, '../package.json'), 'utf8'))
  const published = join(publicFolder, `postgres-${basename(name)}-${version}`)
  if (await stat(published).catch(() => null)) return published
  await mkdir(publicFolder, { recursive: true })
  // The umask of this process would make new folders private. So each public folder gets its mode
  // explicitly.
  await chmod(publicFolder, 0o755)
  const fresh = await mkdtemp(`${published}-`)
  try {
    for (const folder of ['bin', 'lib', 'share']) {
      await copyTree(join(programs, folder), join(fresh, folder))
    }
    await chmod(fresh, 0o755)
    await rename(fresh, published)
  } catch (error) {
    // Another server may have published the same version first.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return published
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyTree(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else await copyProgram(source, target)
  }
}

async function copyProgram(source: string, target: string): Promise<void> {
  const { mode } = await stat(source)
  const isPublic = (mode & 0o004) !== 0
  if (
    isPublic &&
    (await link(source, target).then(
      () => true,
      () => false,
    ))
  )
    return
  // A hard link cannot lead to another file system, and it keeps the mode of the file. So a file on
  // another file system, or with a private mode, is copied.
  await copyFile(source, target, constants.COPYFILE_FICLONE)
  await chmod(target, (mode & 0o111) === 0 ? 0o644 : 0o755)
}
