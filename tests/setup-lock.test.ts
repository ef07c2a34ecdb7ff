import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { withSetupLock } from '../scripts/setup-lock.mjs'

test('holds the lock during the work and releases it afterwards', async () => {
  const folder = await useTemporaryFolder()
  const [heldLocks] = await withSetupLock('/some/folder', () => findLocks(folder))
  expect(heldLocks?.text).toBe(String(process.pid))
  expect(await findLocks(folder)).toEqual([])
  await expect(
    withSetupLock('/some/folder', () => Promise.reject(new Error('failed'))),
  ).rejects.toThrow()
  expect(await findLocks(folder)).toEqual([])
})

test('leaves a lock that another process has acquired', async () => {
  const folder = await useTemporaryFolder()
  const otherPid = String(process.ppid)
  await withSetupLock('/some/folder', async () => {
    for (const { file } of await findLocks(folder)) await writeFile(file, otherPid)
  })
  expect(await findLocks(folder)).toEqual([expect.objectContaining({ text: otherPid })])
})

async function useTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-alone-'))
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })
  return folder
}

async function findLocks(folder: string): Promise<{ file: string; text: string }[]> {
  const files = (await readdir(folder)).map((name) => join(folder, name))
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })))
}
