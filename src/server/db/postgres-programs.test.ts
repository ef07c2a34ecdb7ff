import { spawn } from 'node:child_process'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPostgres, run } from './postgres-programs.ts'

describe('a program', () => {
  const shell = (script: string) => run(spawn('sh', ['-c', script]))

  it('returns its exit code and output', async () => {
    expect(await shell('echo out; echo wrong >&2; exit 3')).toEqual({
      code: 3,
      output: 'out\n',
      errors: 'wrong\n',
    })
    expect(await shell('true')).toEqual({ code: 0, output: '', errors: '' })
  })

  it('ended by a signal has exit code -1', async () => {
    expect((await shell('kill -9 $$')).code).toBe(-1)
  })

  it("that can't be run has a reason instead of an exit code", async () => {
    const { code, errors } = await run(spawn('/nowhere/postgres'))
    expect(code).toBeNull()
    expect(errors).toContain('ENOENT')
  })

  it('can run without pipes', async () => {
    expect(await run(spawn('true', { stdio: 'ignore' }))).toEqual({
      code: 0,
      output: '',
      errors: '',
    })
  })
})

describe('the Postgres on this machine', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-programs-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const isRoot = process.getuid?.() === 0

  it('is found with its version', async () => {
    const { version } = await findPostgres(join(folder, 'missing'))
    expect(version).toMatch(/^\d+\.\d+$/)
  })

  it('runs as this account or, for root, as another account that gets access to its folders', async () => {
    const { account, pathOf } = await findPostgres(join(folder, 'missing'))
    if (isRoot) expect(account?.uid).toBeGreaterThan(0)
    else expect(account).toBeNull()
    const startedByRoot = isRoot && process.platform === 'linux'
    expect(pathOf(3, '/data/socket')).toBe(startedByRoot ? '/proc/self/fd/3' : '/data/socket')
  })

  it("inherits nothing from the server's environment", async () => {
    const savedOptions = process.env.PGOPTIONS
    process.env.PGOPTIONS = 'a setting of the shell'
    try {
      const programs = await findPostgres(join(folder, 'missing'))
      const clusterDir = join(folder, 'of-the-account')
      await mkdir(clusterDir)
      if (programs.account) await chown(clusterDir, programs.account.uid, programs.account.gid)
      // The folder isn't a cluster, so Postgres exits at once with an error that names the folder.
      const child = programs.start('postgres', clusterDir, [], ['ignore', 'pipe', 'pipe'])
      const [path = ''] = child.spawnargs
      expect(path).toMatch(/\/bin\/postgres$/)
      const { code, errors } = await run(child)
      expect(code).not.toBe(0)
      expect(errors).toMatch(/postgresql\.conf/)
    } finally {
      if (savedOptions === undefined) Reflect.deleteProperty(process.env, 'PGOPTIONS')
      else process.env.PGOPTIONS = savedOptions
    }
  })

  const ownedClusters: [string, number, number | null][] = isRoot
    ? [
        ['root', 0, null],
        ['another user', 12_345, 12_345],
      ]
    : []
  it.each([['no one yet', -1, -1] as const, ...ownedClusters])(
    'run for a cluster of %s, uid %i, as uid %j',
    async (_, uid, expected) => {
      const clusterDir = join(folder, `cluster-${uid}`)
      if (uid >= 0) {
        await mkdir(clusterDir)
        await chown(clusterDir, uid, uid)
      }
      const postgres = findPostgres(clusterDir)
      if (expected === null) {
        await expect(postgres).rejects.toThrow(/belongs to root, .* chown -R postgres/)
        return
      }
      const { account } = await postgres
      if (expected >= 0) expect(account).toEqual({ uid: expected, gid: expected })
    },
  )
})
