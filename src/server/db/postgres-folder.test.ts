import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StartupError } from '../errors.ts'
import {
  findPostmaster,
  lockDataDir,
  prepareCluster,
  prepareSocketFolder,
  removeStaleSocketLock,
} from './postgres-folder.ts'
import type { PostgresPrograms } from './postgres-programs.ts'

let dataDir: string
let cluster: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-folder-'))
  cluster = join(dataDir, 'postgres')
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

async function makeCluster(version: string) {
  await mkdir(cluster)
  await writeFile(join(cluster, 'PG_VERSION'), `${version}\n`)
}

/**
 * Returns programs with this script in place of `initdb`. The script gets the new folder as `$1`
 * and the cluster as `$2`. `started` records the calls.
 */
function fakePrograms(script: string): PostgresPrograms & { started: string[][] } {
  const started: string[][] = []
  return {
    version: '18.4',
    account: null,
    started,
    start(program, folder, args, stdio): ChildProcess {
      started.push([program, ...args])
      return spawn('sh', ['-c', script, 'sh', folder, cluster], { stdio })
    },
    pathOf: (_, folder) => folder,
  }
}

const createClusterScript = 'echo 18 > "$1/PG_VERSION"'

describe('preparing the cluster', () => {
  it('creates a missing cluster', async () => {
    const fakes = fakePrograms(createClusterScript)
    await prepareCluster(cluster, dataDir, fakes)
    expect(await readFile(join(cluster, 'PG_VERSION'), 'utf8')).toBe('18\n')
    expect(await readdir(dataDir)).toEqual(['postgres'])
    // With this locale, Postgres sorts text the same way on every machine.
    expect(fakes.started).toEqual([expect.arrayContaining(['initdb', '--builtin-locale=C.UTF-8'])])
  })

  it('keeps a cluster of the same version', async () => {
    await makeCluster('18')
    const fakes = fakePrograms(createClusterScript)
    await prepareCluster(cluster, dataDir, fakes)
    expect(fakes.started).toEqual([])
  })

  it.each(['17', '19', '1', ''])(
    'rejects a cluster of version %j and names the remedy',
    async (version) => {
      await makeCluster(version)
      const preparation = prepareCluster(cluster, dataDir, fakePrograms(createClusterScript))
      await expect(preparation).rejects.toThrow(StartupError)
      await expect(preparation).rejects.toThrow(
        `was made by Postgres ${version}, and this version brings Postgres 18`,
      )
      await expect(preparation).rejects.toThrow(
        'run mayfly backup (or npm run backup) there, and restore that backup with this version',
      )
    },
  )

  it('reports why `initdb` failed and leaves nothing behind', async () => {
    const failingPrograms = fakePrograms('echo half > "$1/base"; echo "no space left" >&2; exit 1')
    const preparation = prepareCluster(cluster, dataDir, failingPrograms)
    await expect(preparation).rejects.toThrow(/could not make its folder .*: no space left$/)
    expect(await readdir(dataDir)).toEqual([])
  })

  it("doesn't replace an unreadable cluster", async () => {
    await mkdir(join(cluster, 'PG_VERSION'), { recursive: true })
    await expect(
      prepareCluster(cluster, dataDir, fakePrograms(createClusterScript)),
    ).rejects.toThrow('EISDIR')
  })
})

describe('the lock on a data folder', () => {
  const lockedMessage = () =>
    `Another server is running on ${dataDir}. Stop it first, or give this one a DATA_DIR of its own.`

  it('is exclusive to one process', () => {
    const unlock = lockDataDir(dataDir)
    expect(() => lockDataDir(dataDir)).toThrow(lockedMessage())
    unlock()
    lockDataDir(dataDir)()
  })

  it('is the same through a symbolic link', async () => {
    const link = `${dataDir}-link`
    await symlink(dataDir, link)
    const unlock = lockDataDir(link)
    expect(() => lockDataDir(dataDir)).toThrow(lockedMessage())
    unlock()
    await rm(link)
  })

  it('reports a folder that cannot be written to', () => {
    expect(() => lockDataDir(join(dataDir, 'missing'))).toThrow(StartupError)
  })
})

describe('the socket folder', () => {
  const isRoot = process.getuid?.() === 0
  const modeOf = async (folder: string) => (await stat(folder)).mode & 0o777
  let outsideFolder: string | null
  beforeEach(() => {
    outsideFolder = null
  })
  afterEach(async () => {
    if (outsideFolder !== null) await rm(outsideFolder, { recursive: true })
  })

  it('is private and inside the data folder', async () => {
    const folder = await prepareSocketFolder(dataDir, null)
    expect(folder).toBe(join(dataDir, 'postgres-socket'))
    expect(await modeOf(folder)).toBe(0o700)
    await chmod(folder, 0o777)
    expect(await prepareSocketFolder(dataDir, null)).toBe(folder)
    expect(await modeOf(folder)).toBe(0o700)
  })

  it.each([
    [89, true],
    [90, false],
  ])('for a path of %i bytes is inside the data folder: %s', async (bytes, isInside) => {
    const shortPath = await mkdtemp('/tmp/mf-')
    try {
      const nameLength = bytes - Buffer.byteLength(join(shortPath, '', 'postgres-socket')) - 1
      const longPath = join(shortPath, 'x'.repeat(nameLength))
      await mkdir(longPath)
      const folder = await prepareSocketFolder(longPath, null)
      if (isInside) expect(folder).toBe(join(longPath, 'postgres-socket'))
      else {
        outsideFolder = folder
        expect(folder).toMatch(/^\/tmp\/mayfly-[\da-f]{20}$/)
        expect(await modeOf(folder)).toBe(0o700)
        expect(await prepareSocketFolder(longPath, null)).toBe(folder)
      }
    } finally {
      await rm(shortPath, { recursive: true })
    }
  })

  const obstacles: [string, (folder: string) => Promise<unknown>][] = [
    ['a file', (folder) => writeFile(folder, '')],
    ['a symbolic link to a folder', (folder) => symlink(dataDir, folder)],
  ]
  if (isRoot) {
    obstacles.push([
      'a folder of another user',
      async (folder) => {
        await mkdir(folder)
        await chown(folder, 12_345, 12_345)
      },
    ])
  }
  it.each(obstacles)('cannot be %s', async (_, create) => {
    await create(join(dataDir, 'postgres-socket'))
    await expect(prepareSocketFolder(dataDir, null)).rejects.toThrow(
      /postgres-socket belongs to another user\. Remove it/,
    )
  })
})

describe('the running Postgres of a cluster', () => {
  const pidFile = () => join(cluster, 'postmaster.pid')
  const exists = async (path: string) => (await stat(path).catch(() => null)) !== null
  const children: ChildProcess[] = []
  beforeEach(() => makeCluster('18'))
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  /** Starts a program named "postgres" that only sleeps. Returns its process id. */
  const runPostgres = async (cwd: string): Promise<number> => {
    const programFolder = join(dataDir, 'postgres-named')
    await mkdir(programFolder, { recursive: true })
    await symlink('/bin/sleep', join(programFolder, 'postgres')).catch(() => {})
    const child = spawn(join(programFolder, 'postgres'), ['600'], { cwd, stdio: 'ignore' })
    children.push(child)
    await once(child, 'spawn')
    return child.pid ?? 0
  }

  it.each([null, '', '\n', 'nonsense', '0', '-1', '1.5', '99999999999999999999'])(
    'is not found if the file contains %j',
    async (content) => {
      if (content !== null) await writeFile(pidFile(), content)
      expect(await findPostmaster(cluster)).toBeNull()
    },
  )

  it('is found by its process id', async () => {
    const pid = await runPostgres(cluster)
    await writeFile(pidFile(), `${pid}\n/data\n`)
    expect(await findPostmaster(cluster)).toBe(pid)
    expect(await exists(pidFile())).toBe(true)
  })

  it("isn't found after the process has ended", async () => {
    const endedProcess = spawn('true')
    await once(endedProcess, 'close')
    await writeFile(pidFile(), `${endedProcess.pid}\n`)
    expect(await findPostmaster(cluster)).toBeNull()
  })

  it.each([
    ['another program', async () => process.pid],
    ['the Postgres of another cluster', () => runPostgres(dataDir)],
  ])("isn't %s with the same pid; the file is removed", async (_, pid) => {
    await writeFile(pidFile(), `${await pid()}\n`)
    expect(await findPostmaster(cluster)).toBeNull()
    expect(await exists(pidFile())).toBe(false)
  })

  it("keeps its socket's lock; a stale lock is removed", async () => {
    const lock = join(dataDir, '.s.PGSQL.5432.lock')
    await writeFile(lock, `${await runPostgres(cluster)}\n`)
    await removeStaleSocketLock(dataDir, cluster)
    expect(await exists(lock)).toBe(true)
    await writeFile(lock, `${process.pid}\n`)
    await removeStaleSocketLock(dataDir, cluster)
    expect(await exists(lock)).toBe(false)
  })

  it('needs no socket lock file', async () => {
    await removeStaleSocketLock(dataDir, cluster)
  })
})
