import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ClientResult, runClient, startClient } from './support/client.ts'
import { makeKey } from './support/keys.ts'
import { json, makePerson, type Person } from './support/make.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

const mebibyte = 1024 ** 2

let app: TestApp
let person: Person
let settings: { env: Record<string, string>; cwd: string }
let folder: string
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-client-'))
  person = await makePerson(app, { tier: 'premium' })
  const { key } = await makeKey(person)
  const env = { MAYFLY_URL: app.url, MAYFLY_KEY: key, XDG_CONFIG_HOME: join(folder, 'config') }
  settings = { env, cwd: folder }
})
afterEach(() => rm(folder, { recursive: true }))

function run(...args: string[]): Promise<ClientResult> {
  return runClient(args, settings)
}

/** Runs the client successfully and returns what it prints. */
async function output(...args: string[]): Promise<string> {
  const result = await run(...args)
  expect(result).toEqual({ code: 0, stdout: expect.any(String), stderr: '' })
  return result.stdout.trim()
}

async function writeFiles(files: Record<string, Uint8Array | string>) {
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
}

describe('a link with a limit of downloads', () => {
  test('gives its last download, whose SHA-256 it no longer shows', async () => {
    await writeFiles({ file: 'text' })
    const link = await output('put', 'file', '--limit', '1')
    await rm(join(folder, 'file'))
    expect(await run('get', link)).toMatchObject({ code: 0 })
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('text')
    expect(await run('get', link)).toMatchObject({ code: 4 })
  })

  test.each([[], ['--password', 'x']])(
    'goes on after its last download has begun, %j',
    async (...args) => {
      const bytes = randomBytes(16 * mebibyte)
      await writeFiles({ small: 'text', file: bytes })
      const link = await output('put', 'small', 'file', '--limit', '2', ...args)
      const target = join(folder, 'target')
      const { child, result } = startClient(['get', link, '-o', target, ...args], settings)
      const receivedBytes = async () => {
        const names = await readdir(target).catch(() => [])
        const part = names.find((name) => name.endsWith('.part'))
        return part ? (await stat(join(target, part))).size : 0
      }
      while ((await receivedBytes()) < mebibyte) await setTimeout(1)
      child.kill('SIGKILL')
      expect(await result).toMatchObject({ code: null, stdout: `${join(target, 'small')}\n` })
      expect(await run('get', link, '-o', target, ...args)).toMatchObject({ code: 0 })
      expect(await readdir(target)).toEqual(['file', 'small'])
      expect(bytes.equals(await readFile(join(target, 'file')))).toBe(true)
    },
  )

  test('is not begun if it has more files', async () => {
    await writeFiles({ one: '1', two: '2' })
    const link = await output('put', 'one', 'two', '--limit', '1')
    const stderr = 'The link has 2 files, but its limit leaves only 1.\n'
    expect(await run('get', link)).toEqual({ code: 1, stdout: '', stderr })
    const details = await json(await person.fetch(`/api/links/${link.slice(-10)}`))
    expect(details).toMatchObject({ remainingDownloads: 1 })
  })
})

describe('the server says why it refuses', () => {
  test('files', async () => {
    await person.post('/api/auth/toggle-premium')
    await writeFiles({ one: '1', two: '2', three: '3', four: '4', five: '5' })
    const result = await run('put', 'one', 'two', 'three', 'four', 'five')
    const stderr = expect.stringMatching(/^The free tier holds 3 files[^\n]* \([^\n]*four\)\n$/)
    expect(result).toEqual({ code: 3, stdout: '', stderr })
  })

  test.each([
    ['put', '--days', '4'],
    ['put', '--limit', '0'],
    ['request', '--days', '31'],
    ['request', '--limit', '0'],
  ])('%s %s %s', async (command, option, value) => {
    await writeFiles({ file: 'text' })
    const stderr = expect.stringMatching(new RegExp(`^${option}: `))
    expect(await run(command, 'file', option, value)).toEqual({ code: 2, stdout: '', stderr })
  })
})

test('nothing is sent without files', async () => {
  await mkdir(join(folder, 'empty'))
  for (const args of [['empty'], ['--each', 'empty'], ['/dev/null'], ['missing']]) {
    expect(await run('put', ...args)).toMatchObject({ code: 1, stdout: '' })
  }
})

test('a file that is named twice makes one link', async () => {
  await writeFiles({ file: 'text' })
  const links = (await output('put', '--each', 'file', 'file')).split('\n')
  expect(links).toEqual([links[0], links[0]])
})
