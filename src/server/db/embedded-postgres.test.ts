import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

const log = { info() {}, warn() {} }

let pristine: string
let dataDir: string
let running: EmbeddedPostgres[]

beforeAll(async () => {
  pristine = await mkdtemp(join(tmpdir(), 'mayfly-pristine-'))
  await (await startEmbeddedPostgres(pristine, log)).stop()
})

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mayfly it's a $test "))
  // Each test gets a copy of one cluster, because `initdb` is slow. The copy keeps the files'
  // owner.
  spawnSync('cp', ['-a', join(pristine, 'postgres'), dataDir])
  running = []
})

afterEach(async () => {
  for (const postgres of running) await postgres.stop()
  await rm(dataDir, { recursive: true })
})

afterAll(() => rm(pristine, { recursive: true }))

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

async function expectGone(postgres: EmbeddedPostgres): Promise<void> {
  await expect(query(postgres, 'select 1')).rejects.toThrow()
  await expect(readFile(pidFile())).rejects.toThrow('ENOENT')
}

/**
 * Starts the database in another process, which writes a row, reports that, and runs until it is
 * killed.
 */
async function startElsewhere() {
  const script = `
    import pg from 'pg'
    import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./embedded-postgres.ts'))}
    const log = { info() {}, warn() {} }
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

test('keeps what was written, and is gone when it is stopped', async () => {
  const first = await start()
  await query(first, "create table kept as select 'written' as value")
  await first.stop()
  await expectGone(first)

  expect(await query(await start(), 'select value from kept')).toEqual([['written']])
})

describe('a folder has one server', () => {
  test('a second one is refused and leaves the first alone', async () => {
    const first = await start()
    await expect(start()).rejects.toThrow(
      `Another server is running on ${dataDir}. Stop it first, or give this one a DATA_DIR of its own.`,
    )
    expect(await query(first, 'select 1')).toEqual([[1]])
  })

  test('of two that start at the same time on a fresh folder one wins', async () => {
    await rm(join(dataDir, 'postgres'), { recursive: true })
    const attempts = await Promise.allSettled([start(), start()])
    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = attempts.find((attempt) => attempt.status === 'rejected')
    expect(String(lost?.reason)).toContain('Another server is running')
    const [winner] = running
    expect(winner && (await query(winner, 'select 1'))).toEqual([[1]])
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres-socket', 'postgres.log'])
  })

  test('one that starts while the other stops waits for it', async () => {
    const first = await start()
    const [, second] = await Promise.all([first.stop(), start()])
    expect(await query(second, 'select 1')).toEqual([[1]])
  })
})

describe('after a crash', () => {
  test('takes over the Postgres of a killed server, with every acknowledged row', async () => {
    const child = await startElsewhere()
    const pid = await postmasterPid()
    child.kill('SIGKILL')
    const postgres = await start()
    expect(await query(postgres, 'select value from kept')).toEqual([['acknowledged']])
    expect(await postmasterPid()).toBe(pid)
    await postgres.stop()
    await expectGone(postgres)
  })

  test('starts again where Postgres was killed as well', async () => {
    const child = await startElsewhere()
    process.kill(await postmasterPid(), 'SIGKILL')
    child.kill('SIGKILL')
    expect(await query(await start(), 'select value from kept')).toEqual([['acknowledged']])
  })

  test('is not stopped by a pid that another program has got since', async () => {
    await (await start()).stop()
    await writeFile(pidFile(), `${process.pid}\n${join(dataDir, 'postgres')}\n`)
    expect(await query(await start(), 'select 1')).toEqual([[1]])
  })

  test('does an interrupted initdb again', async () => {
    await rm(join(dataDir, 'postgres'), { recursive: true })
    await mkdir(join(dataDir, 'postgres-initdb-halfway/base'), { recursive: true })
    expect(await query(await start(), 'select 1')).toEqual([[1]])
    expect(await readdir(dataDir)).not.toContain('postgres-initdb-halfway')
  })

  test('brings back a Postgres that dies under a living server, and still owns it', async () => {
    const postgres = await start()
    process.kill(await postmasterPid(), 'SIGKILL')
    // The server starts Postgres first, and then takes the lock on the folder again.
    const locks = "select count(*)::int from pg_locks where locktype = 'advisory'"
    await eventually(async () => expect(await query(postgres, locks)).toEqual([[1]]))
    await expect(start()).rejects.toThrow('Another server is running')
  })
})

describe('a start that fails takes its Postgres along', () => {
  test('where Postgres lets nobody in', async () => {
    await writeFile(join(dataDir, 'postgres/pg_hba.conf'), 'local all all reject\n')
    await expect(start()).rejects.toThrow('pg_hba.conf rejects connection')
    await expect(readFile(pidFile())).rejects.toThrow('ENOENT')
  })

  test.each(['before it answers', 'when it has'])('where the process leaves, %s', async (when) => {
    const script = `
      import { existsSync } from 'node:fs'
      import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./embedded-postgres.ts'))}
      const started = startEmbeddedPostgres(process.argv[1], { info() {}, warn() {} })
      if (process.argv[3] === 'when it has') await started
      setInterval(() => existsSync(process.argv[2]) && process.exit(1), 1)`
    const args = ['--input-type=module', '--eval', script, dataDir, pidFile(), when]
    const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: import.meta.dirname })
    expect(await once(child, 'exit')).toEqual([1, null])
    await eventually(() => expect(readFile(pidFile())).rejects.toThrow('ENOENT'))
  })
})

test('a folder that is reached by a symbolic link is a folder like any other', async () => {
  const link = `${dataDir} link`
  await symlink(dataDir, link)
  const first = await start(link)
  await expect(start(link)).rejects.toThrow('Another server is running')
  await expect(start(dataDir)).rejects.toThrow('Another server is running')
  expect(await query(first, 'select 1')).toEqual([[1]])
  await first.stop()
  await expectGone(first)
  await rm(link)
})

// Only its owner can enter the folder of these tests.
test('holds no right of root, in a folder that is closed to others either', async () => {
  await start()
  const status = await readFile(`/proc/${await postmasterPid()}/status`, 'utf8').catch(() => '')
  const of = (field: string) => new RegExp(`^${field}:\\s*(.+)$`, 'm').exec(status)?.[1]
  if (process.platform === 'linux') {
    expect(of('Uid')).not.toMatch(/\b0\b/)
    for (const set of ['CapPrm', 'CapEff', 'CapInh', 'CapAmb']) expect(of(set)).toMatch(/^0+$/)
  }
})

test('listens on no port, and on a socket in a folder that nobody else can enter', async () => {
  const postgres = await start()
  expect(await query(postgres, 'show listen_addresses')).toEqual([['']])
  const { mode } = await stat(postgres.connection.host)
  expect(mode & 0o077).toBe(0)
})

test('runs where the path is too long for a socket', async () => {
  const deep = join(dataDir, 'deep'.repeat(30))
  await mkdir(deep)
  await rename(join(dataDir, 'postgres'), join(deep, 'postgres'))
  const postgres = await start(deep)
  expect(postgres.connection.host).toMatch(/^\/tmp\/mayfly-[0-9a-f]{20}$/)
  expect(await query(postgres, 'select 1')).toEqual([[1]])
  await postgres.stop()
  await rm(postgres.connection.host, { recursive: true })
})

test('refuses the cluster of another Postgres version and says what to do', async () => {
  await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n')
  await expect(start()).rejects.toThrow(/made by Postgres 17.* brings Postgres 18.*pg_dump/)
})
