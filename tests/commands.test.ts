import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { childEnvironment } from './support/child-program.ts'
import { type CommandName, runCommand } from './support/run-command.ts'

const isRoot = process.getuid?.() === 0

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-commands-'))
})
afterEach(() => rm(folder, { recursive: true }))

test.each<[CommandName, string[]]>([
  ['backup', ['backup-1']],
  ['check', []],
  ['add', [import.meta.filename]],
])('%s in a folder without data says so and creates nothing', async (command, args) => {
  expect(await runCommand(command, args, { cwd: folder })).toMatchObject({
    code: 1,
    stderr: `There is no data in DATA_DIR ${folder}/data. Run this in the server's folder, or set DATA_DIR.\n`,
  })
  expect(await readdir(folder)).toEqual([])
})

test.each<[CommandName, string[], number]>([
  ['backup', [], 2],
  ['backup', ['backup-1', 'backup-2'], 2],
  ['backup', ['--nope', 'backup-1'], 2],
  ['backup', ['--record-only', 'backup-1'], 2],
  ['backup', ['--help'], 0],
  ['restore', ['backup-1', 'backup-2'], 2],
  ['restore', ['--nope'], 2],
  ['restore', ['-h'], 0],
  ['add', [], 2],
  ['add', ['file', '--days', 'many'], 2],
  ['add', ['file', '--help'], 0],
])('%s %j only prints the usage and exits with %i', async (command, args, code) => {
  const result = await runCommand(command, args, { cwd: folder })
  const usage = new RegExp(`^Usage: mayfly ${command} .*\\n$`)
  expect(result).toEqual({ code, stdout: '', stderr: expect.stringMatching(usage) })
  expect(await readdir(folder)).toEqual([])
})

test.runIf(isRoot).each<[CommandName, string[]]>([
  ['backup', ['backup-1']],
  ['check', []],
  ['add', [import.meta.filename]],
])("%s leaves no files of root in another user's data folder", async (command, args) => {
  const dataDir = join(folder, 'data')
  await mkdir(join(dataDir, 'files'), { recursive: true })
  await chown(join(dataDir, 'files'), 12_345, 12_345)
  expect(await runCommand(command, args, { cwd: folder })).toMatchObject({
    code: 1,
    stderr: `DATA_DIR ${dataDir} belongs to another user. Run this as the user that runs the server.\n`,
  })
  expect(await readdir(folder, { recursive: true })).toEqual(['data', 'data/files'])
})

test.each(['add', 'restore'])(
  'a path after npm run %s is relative to the shell',
  async (script) => {
    const cwd = import.meta.dirname
    const options = { cwd, env: childEnvironment }
    const result = promisify(execFile)('npm', ['run', script, '--', 'missing'], options)
    await expect(result).rejects.toMatchObject({
      stderr: expect.stringContaining(join(cwd, 'missing')),
    })
  },
)
