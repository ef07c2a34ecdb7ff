import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

const log = { warn() {} }

let templateDir: string
let dataDir: string
let running: EmbeddedPostgres[]

beforeAll(async () => {
  templateDir = await mkdtemp(join(tmpdir(), 'mayfly-pristine-'))
  await (await startEmbeddedPostgres(templateDir, log)).stop()
})

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mayfly it's a $test "))
  // `initdb` is slow, so each test copies one cluster. `-a` preserves the files' owner.
  spawnSync('cp', ['-a', join(templateDir, 'postgres'), dataDir])
  running = []
})

afterEach(async () => {
  for (const postgres of running) await postgres.stop()
  await rm(dataDir, { recursive: true })
})

afterAll(() => rm(templateDir, { recursive: true }))

async function start(folder = dataDir): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres(folder, log)
  running.push(postgres)
  return postgres
}

async function query(postgres: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client(postgres.connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

function pidFile() {
  return join(dataDir, 'postgres/postmaster.pid')
}

async function postmasterPid(): Promise<number> {
  return Number((await readFile(pidFile(), 'utf8')).split('\n')[0])
}

async function expectStopped(postgres: EmbeddedPostgres): Promise<void> {
  await expect(query(postgres, 'select 1')).rejects.toThrow()
  await expect(readFile(pidFile())).rejects.toThrow('ENOENT')
}

/**
 * Starts the database in another process, which inserts a row, reports it, and runs until it is
 * killed.
 */
async function startInChildProcess() {
  const script = `
    import pg from 'pg'
    import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./embedded-postgres.ts'))}
    const log = { warn() {} }
    const { connection } = await startEmbeddedPostgres(process.argv[1], log)
    const client = new pg.Client(connection)
    await client.connect()
    await client.query("create table kept as select 'acknowledged' as value")
    console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  })
  await once(child.stdout, 'data')
  return child
}

test('keeps committed rows and exits on stop', async () => {
  const firstPostgres = await start()
  await query(firstPostgres, "create table kept as select 'written' as value")
  await firstPostgres.stop()
  await expectStopped(firstPostgres)

  expect(await query(await start(), 'select value from kept')).toEqual([['written']])
})

describe('after a crash', () => {
  test('replaces the Postgres of a killed server and keeps every committed row', async () => {
    const child = await startInChildProcess()
    const leftoverPid = await postmasterPid()
    child.kill('SIGKILL')
    const postgres = await start()
    expect(await query(postgres, 'select value from kept')).toEqual([['acknowledged']])
    expect(await postmasterPid()).not.toBe(leftoverPid)
    await postgres.stop()
    await expectStopped(postgres)
  })

  test('starts if Postgres was killed too', async () => {
    const child = await startInChildProcess()
    process.kill(await postmasterPid(), 'SIGKILL')
    child.kill('SIGKILL')
    expect(await query(await start(), 'select value from kept')).toEqual([['acknowledged']])
  })

  test("starts if another program has the old Postgres's pid", async () => {
    await (await start()).stop()
    await writeFile(pidFile(), `${process.pid}\n${join(dataDir, 'postgres')}\n`)
    expect(await query(await start(), 'select 1')).toEqual([[1]])
  })

  test('repeats an interrupted `initdb`', async () => {
    await rm(join(dataDir, 'postgres'), { recursive: true })
    await mkdir(join(dataDir, 'postgres-initdb/base'), { recursive: true })
    expect(await query(await start(), 'select 1')).toEqual([[1]])
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres-socket', 'postgres.log'])
  })

  test('restarts a Postgres that exits while the server runs, and can still stop it', async () => {
    const postgres = await start()
    process.kill(await postmasterPid(), 'SIGKILL')
    await eventually(async () => expect(await query(postgres, 'select 1')).toEqual([[1]]))
    await postgres.stop()
    await expectStopped(postgres)
  })
})

describe('a failed start stops its Postgres', () => {
  test('if Postgres rejects connections', async () => {
    await writeFile(join(dataDir, 'postgres/pg_hba.conf'), 'local all all reject\n')
    await expect(start()).rejects.toThrow('pg_hba.conf rejects connection')
    await expect(readFile(pidFile())).rejects.toThrow('ENOENT')
  })

  test.each(['before Postgres is ready', 'once Postgres is ready'])(
    'if the process exits %s',
    async (exitTime) => {
      const script = `
      import { existsSync } from 'node:fs'
      import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./embedded-postgres.ts'))}
      const started = startEmbeddedPostgres(process.argv[1], { warn() {} })
      if (process.argv[3] === 'once Postgres is ready') await started
      setInterval(() => existsSync(process.argv[2]) && process.exit(1), 1)`
      const args = ['--input-type=module', '--eval', script, dataDir, pidFile(), exitTime]
      const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: import.meta.dirname })
      expect(await once(child, 'exit')).toEqual([1, null])
      await eventually(() => expect(readFile(pidFile())).rejects.toThrow('ENOENT'))
    },
  )
})

test("reports the end of the log if Postgres can't start", async () => {
  await writeFile(join(dataDir, 'postgres/postgresql.conf'), 'no_such_setting = 1\n')
  await expect(start()).rejects.toThrow(
    /^The embedded Postgres did not start: [\s\S]*no_such_setting[\s\S]*\nIts log: .*postgres\.log$/,
  )
})

// The folder of these tests is accessible only to the current user.
test('listens only on a private socket, has no root privileges, and starts a new log above 1 MiB', async () => {
  const file = join(dataDir, 'postgres.log')
  await writeFile(file, 'x'.repeat(1024 * 1024 + 1))
  const postgres = await start()
  expect(await query(postgres, 'show listen_addresses')).toEqual([['']])
  expect((await stat(postgres.connection.host)).mode & 0o077).toBe(0)

  const status = await readFile(`/proc/${await postmasterPid()}/status`, 'utf8').catch(() => '')
  const field = (name: string) => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(status)?.[1]
  if (process.platform === 'linux') {
    expect(field('Uid')).not.toMatch(/\b0\b/)
    for (const set of ['CapPrm', 'CapEff', 'CapInh', 'CapAmb']) expect(field(set)).toMatch(/^0+$/)
  }

  expect((await stat(`${file}.1`)).size).toBe(1024 * 1024 + 1)
  const { mode, size } = await stat(file)
  expect(size).toBeLessThan(1024 * 1024)
  expect(mode & 0o777).toBe(0o600)
})

test("runs even if the data folder's path is too long for a socket", async () => {
  const deepDir = join(dataDir, 'deep'.repeat(30))
  await mkdir(deepDir)
  await rename(join(dataDir, 'postgres'), join(deepDir, 'postgres'))
  const postgres = await start(deepDir)
  expect(postgres.connection.host).toMatch(/^\/tmp\/mayfly-[0-9a-f]{20}$/)
  expect(await query(postgres, 'select 1')).toEqual([[1]])
  await postgres.stop()
  await rm(postgres.connection.host, { recursive: true })
})

test('rejects the cluster of another Postgres version and names the remedy', async () => {
  await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n')
  await expect(start()).rejects.toThrow(/made by Postgres 17.* brings Postgres 18.*mayfly backup/)
})
