import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isMissing, nullIfMissing } from './file-system.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-files-'))
  await writeFile(join(folder, 'there'), 'text')
})
afterAll(() => rm(folder, { recursive: true }))

it('nullIfMissing returns the value if the file exists', async () => {
  expect(await nullIfMissing(readFile(join(folder, 'there'), 'utf8'))).toBe('text')
})

it('nullIfMissing returns null for a missing file or folder', async () => {
  expect(await nullIfMissing(readFile(join(folder, 'missing')))).toBeNull()
  expect(await nullIfMissing(readFile(join(folder, 'missing', 'file')))).toBeNull()
})

it.each([
  ['a folder in place of a file', () => join(folder, '.'), 'EISDIR'],
  ['a file in place of a folder', () => join(folder, 'there', 'file'), 'ENOTDIR'],
])('nullIfMissing rethrows the error for %s', async (_, path, code) => {
  const error = await nullIfMissing(readFile(path())).catch((error: unknown) => error)
  expect(isMissing(error)).toBe(false)
  expect(error).toMatchObject({ code })
})

it.each([null, undefined, 'ENOENT', { code: 'ENOENT' }, new Error('ENOENT')])(
  'isMissing is false for %j',
  (thrown) => {
    expect(isMissing(thrown)).toBe(false)
  },
)
