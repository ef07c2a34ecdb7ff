import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandName, runCommand } from './support/run-command.ts'

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
