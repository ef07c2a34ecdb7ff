import * as fs from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FanOuts } from './fan-outs.ts'
import { FolderSync } from './folder-sync.ts'

let folder: string
/** The paths that were opened to be synced. */
let opened: string[]
let fanOuts: FanOuts
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-fan-outs-'))
  opened = []
  const open = (path: string, flags: string, mode?: number) => {
    opened.push(path)
    return fs.open(path, flags, mode)
  }
  fanOuts = new FanOuts({ ...fs, open }, new FolderSync(fs, folder, { staysOpen: false }))
})
afterEach(() => rm(folder, { recursive: true }))

it('syncs a folder once for all who ask at the same moment, and each other folder by itself', async () => {
  const [ab, cd] = [join(folder, 'ab'), join(folder, 'cd')]
  await Promise.all([fanOuts.make(ab), fanOuts.make(cd)])
  await Promise.all([...Array.from({ length: 20 }, () => fanOuts.sync(ab)), fanOuts.sync(cd)])
  expect(opened.toSorted()).toEqual([ab, cd])
  await fanOuts.sync(ab)
  expect(opened).toHaveLength(3)
})

it('syncs the folder that is there now, after one was removed and made again', async () => {
  const ab = join(folder, 'ab')
  await fanOuts.make(ab)
  await fanOuts.sync(ab)
  await rm(ab, { recursive: true })
  await expect(fanOuts.sync(ab)).rejects.toThrow('ENOENT')
  await fanOuts.makeAgain(ab)
  await fanOuts.sync(ab)
  expect(opened).toHaveLength(3)
})
