import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { prepareDataDir, readAdminPassword, readAuthSecret } from './data-dir.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mayfly-data-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

async function readMode(path: string) {
  return (await stat(path)).mode & 0o777
}

test('the folder is created with its parents and is private', async () => {
  const nestedDir = join(dataDir, 'a/b')
  await prepareDataDir(nestedDir)
  await prepareDataDir(nestedDir)
  expect((await readMode(nestedDir)) & 0o066).toBe(0)
})

test('a file in place of the folder is reported with a remedy', async () => {
  const file = join(dataDir, 'file')
  await writeFile(file, '')
  await expect(prepareDataDir(join(file, 'data'))).rejects.toThrow(/ENOTDIR.*set DATA_DIR/)
})

test('the secret is generated once, even in parallel', async () => {
  const config = { authSecret: null, dataDir }
  const secrets = await Promise.all(Array.from({ length: 20 }, () => readAuthSecret(config)))
  expect(new Set(secrets).size).toBe(1)
  expect(await readAuthSecret(config)).toBe(secrets[0])
  expect(secrets[0]).toMatch(/^[A-Za-z0-9]{64}$/)
  expect(await readdir(dataDir)).toEqual(['secret'])
  expect(await readMode(join(dataDir, 'secret'))).toBe(0o600)
})

test('no file is written if AUTH_SECRET is set', async () => {
  const secret = 's'.repeat(32)
  expect(await readAuthSecret({ authSecret: secret, dataDir })).toBe(secret)
  expect(await readdir(dataDir)).toEqual([])
})

test('a damaged secret is rejected and not replaced', async () => {
  await writeFile(join(dataDir, 'secret'), '')
  await expect(readAuthSecret({ authSecret: null, dataDir })).rejects.toThrow('damaged')
  expect(await readFile(join(dataDir, 'secret'), 'utf8')).toBe('')
})

test("the administrator's password is generated once and is private", async () => {
  const config = { adminPassword: null, dataDir }
  const password = await readAdminPassword(config)
  expect(password).toMatch(/^[a-z2-9]{20}$/)
  expect(await readAdminPassword(config)).toBe(password)
  expect(await readMode(join(dataDir, 'admin-password'))).toBe(0o600)
  expect(await readAdminPassword({ adminPassword: 'my own', dataDir })).toBe('my own')
})
