import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StartupError } from '../errors.ts'
import { type Launched, launchPostgres } from './launch-postgres.ts'

let dataDir: string
let launched: Launched | null
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-launch-'))
  await mkdir(join(dataDir, 'socket'))
  launched = null
})
afterEach(async () => {
  await launched?.stop()
  await rm(dataDir, { recursive: true })
})

function log() {
  return join(dataDir, 'postgres.log')
}

/**
 * Launches this script as if it were Postgres. With null, it launches a program that does not
 * exist.
 */
async function launch(script: string | null) {
  const started: string[][] = []
  const child = Promise.withResolvers<ChildProcess>()
  launched = await launchPostgres({
    dataDir,
    cluster: join(dataDir, 'postgres'),
    connection: { host: join(dataDir, 'socket'), port: 5432, user: 'postgres', database: 'x' },
    programs: {
      version: '18.4',
      account: null,
      start(program, folder, args, stdio) {
        started.push([program, folder, ...args])
        const made =
          script === null
            ? spawn('/nowhere/postgres', { stdio })
            : spawn('sh', ['-c', script], { stdio })
        child.resolve(made)
        return made
      },
      handedOver: (fd, folder) => `${folder} as ${fd}`,
    },
  })
  return { ...launched, child: await child.promise, started }
}

const runsOn = 'exec sleep 600'

describe('a Postgres that runs', () => {
  it('listens on its socket alone, in the folder that it was handed', async () => {
    const { started } = await launch(runsOn)
    expect(started).toHaveLength(1)
    const [command = []] = started
    expect(command.slice(0, 2)).toEqual(['postgres', join(dataDir, 'postgres')])
    expect(command).toContain('listen_addresses=')
    expect(command).toContain('unix_socket_permissions=0700')
    expect(command).toContain(`unix_socket_directories=${join(dataDir, 'socket')} as 3`)
  })

  it('is stopped by an orderly shutdown, which is waited for', async () => {
    const { running, stop, child } = await launch(runsOn)
    expect(running()).toBe(true)
    await stop()
    expect(running()).toBe(false)
    expect(child.signalCode).toBe('SIGINT')
  })

  it('is told to stop without waiting, too', async () => {
    const { abandon, running } = await launch(runsOn)
    abandon()
    await expect.poll(running).toBe(false)
  })

  it('has ended by itself: stopping it again is nothing', async () => {
    const { running, stop, abandon } = await launch('exit 0')
    await expect.poll(running).toBe(false)
    abandon()
    await stop()
  })
})

describe('a Postgres that does not start', () => {
  it('is told by the last three lines of its log, and where the log is', async () => {
    const { running, failure } = await launch(
      'echo first; for n in 2 3 4; do echo "line $n" >&2; done',
    )
    await expect.poll(running).toBe(false)
    const fault = await failure()
    expect(fault).toBeInstanceOf(StartupError)
    expect(fault.message).toBe(
      `The embedded Postgres did not start: line 2\nline 3\nline 4\nIts log: ${log()}`,
    )
  })

  it('and says nothing is told all the same', async () => {
    const { running, failure } = await launch('exit 1')
    await expect.poll(running).toBe(false)
    expect((await failure()).message).toBe(
      `The embedded Postgres did not start: \nIts log: ${log()}`,
    )
  })

  it('because it is not there does not run, and the reason is told', async () => {
    const { running, failure, stop } = await launch(null)
    await expect.poll(running).toBe(false)
    expect((await failure()).message).toContain('ENOENT')
    await stop()
  })
})

describe('the log', () => {
  const longest = 1024 * 1024

  it('goes on where it ended, for its owner alone', async () => {
    await launch('echo one')
    await expect.poll(() => readFile(log(), 'utf8')).toBe('one\n')
    await launch('echo two')
    await expect.poll(() => readFile(log(), 'utf8')).toBe('one\ntwo\n')
    expect((await stat(log())).mode & 0o777).toBe(0o600)
  })

  it('of a mebibyte goes on; a longer one is put aside, and a new one begun', async () => {
    await writeFile(log(), 'x'.repeat(longest))
    await launch('echo more')
    await expect.poll(async () => (await stat(log())).size).toBe(longest + 5)
    await launch('echo anew')
    await expect.poll(() => readFile(log(), 'utf8')).toBe('anew\n')
    expect((await stat(`${log()}.1`)).size).toBe(longest + 5)
  })
})
