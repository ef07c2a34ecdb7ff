import * as fs from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FolderSync } from './folder-sync.ts'

it('lets those who ask while one runs share the next', async () => {
  const folder = new FolderSync(fs, tmpdir())
  const first = folder.sync()
  await Promise.resolve()
  await Promise.resolve()
  const [second, third] = [folder.sync(), folder.sync()]
  expect(second).toBe(third)
  expect(second).not.toBe(first)
  await Promise.all([first, second, third])
  await folder.close()
})

it('fails for who asked, and works again for the next', async () => {
  const path = await mkdtemp(join(tmpdir(), 'mayfly-sync-'))
  const missing = new FolderSync(fs, join(path, 'missing'))
  const failing = [missing.sync(), missing.sync()]
  for (const sync of failing) await expect(sync).rejects.toThrow('ENOENT')
  await missing.close()
  const folder = new FolderSync(fs, path)
  await folder.close()
  await folder.sync()
  await folder.close()
  await folder.sync()
  await folder.close()
  await rm(path, { recursive: true })
})
