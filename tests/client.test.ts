import { execFile } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { files } from '../src/server/db/schema.ts'
import type { Link } from '../src/shared/contract/links.ts'
import { type ChaosProxy, startChaosProxy } from './support/chaos-proxy.ts'
import { type ClientResult, runClient, startClient } from './support/client.ts'
import { makeKey, revokeKey } from './support/keys.ts'
import { expectOk, json, makeFile, makePerson, type Person, sha256 } from './support/make.ts'
import { chooseRounds, isLongRun } from './support/rounds.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'
import { testSpace } from './support/test-space.ts'

const mebibyte = 1024 ** 2

const space = testSpace()
let app: TestApp
let proxy: ChaosProxy
let person: Person
let key: string
let folder: string

beforeAll(async () => {
  proxy = await startChaosProxy()
  app = await startTestApp({ env: { APP_URL: proxy.url }, space })
  proxy.forwardTo(app.deps.config.port)
})
afterAll(async () => {
  await app.close()
  await proxy.close()
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayfly-client-'))
  person = await makePerson(app, { tier: 'premium' })
  key = (await makeKey(person)).key
})
afterEach(async () => {
  proxy.restore()
  await rm(folder, { recursive: true })
})

/** The client's settings: those of the person, except for the changes. */
function settings(changes: Record<string, string> = {}) {
  const env = { MAYFLY_URL: proxy.url, MAYFLY_KEY: key, XDG_CONFIG_HOME: join(folder, 'config') }
  return { env: { ...env, ...changes }, cwd: folder }
}

function run(...args: string[]): Promise<ClientResult> {
  return runClient(args, settings())
}

/** Runs the client successfully and returns what it prints. */
async function output(...args: string[]): Promise<string> {
  const result = await run(...args)
  expect(result).toEqual({ code: 0, stdout: expect.any(String), stderr: '' })
  return result.stdout.trim()
}

async function writeFiles(files: Record<string, Uint8Array | string>) {
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), bytes)
  }
}

/** Returns a file's size in bytes, or 0 if it doesn't exist. */
async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}

/** Downloads a link and returns the files' SHA-256 by name. */
async function getFiles(link: string, options = settings(), ...args: string[]) {
  const target = await mkdtemp(join(folder, 'got-'))
  const result = await runClient(['get', link, '-o', target, ...args], options)
  expect(result).toMatchObject({ code: 0 })
  const names = await readdir(target)
  expect(result.stdout.split('\n').filter(Boolean).sort()).toEqual(
    names.map((name) => join(target, name)).sort(),
  )
  const entries = names.map(async (name) => [name, sha256(await readFile(join(target, name)))])
  return Object.fromEntries(await Promise.all(entries))
}

test('every server has the client', async () => {
  const response = await fetch(`${proxy.url}/mayfly.mjs`)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  const name = join(folder, 'mayfly.mjs')
  await writeFile(name, new Uint8Array(await response.arrayBuffer()))
  const { stdout } = await promisify(execFile)(process.execPath, [name, '--help'])
  expect(stdout).toContain('Usage')
})

test('files and folders make one link, and come back as they were', async () => {
  const large = randomBytes(9 * mebibyte)
  await writeFiles({
    'a b.txt': 'text',
    'Übergröße 😀.bin': large,
    empty: '',
    'folder/one.txt': '2',
    'folder/deep/one.txt': '1',
    'folder/.DS_Store': '3',
  })
  const options = ['--title', 'Trip', '--password', 'open sesame', '--days', '7']
  const link = await output('put', 'a b.txt', 'Übergröße 😀.bin', 'empty', 'folder', ...options)
  expect(link).toMatch(new RegExp(`^${proxy.url}/s/\\w{10}$`))
  expect(await output('ls')).toMatch(new RegExp(`^${link}\t20\\S+Z\t${large.length + 6}\tTrip$`))

  const visitor = settings({ MAYFLY_KEY: '', MAYFLY_URL: '' })
  expect(await runClient(['get', link], visitor)).toMatchObject({ code: 3 })
  expect(await runClient(['get', link, '--password', 'x'], visitor)).toMatchObject({ code: 3 })
  const expected = {
    'a b.txt': sha256(Buffer.from('text')),
    'Übergröße 😀.bin': sha256(large),
    empty: sha256(Buffer.from('')),
    'one.txt': sha256(Buffer.from('1')),
    'one (2).txt': sha256(Buffer.from('2')),
  }
  expect(await getFiles(link, visitor, '--password', 'open sesame')).toEqual(expected)
})

test('each file gets a link, which can be renewed and deleted', async () => {
  await writeFiles({ one: '1', two: '2' })
  const links = (await output('put', '--each', '--limit', '5', 'one', 'two')).split('\n')
  expect(new Set(links).size).toBe(2)
  const [first = '', second = ''] = links
  expect(await getFiles(second)).toEqual({ two: sha256(Buffer.from('2')) })
  const renewed = await output('renew', first, '--days', '7')
  expect(await run('get', first)).toMatchObject({ code: 4, stdout: '' })
  expect(await run('rm', first, renewed)).toMatchObject({ code: 4, stdout: '' })
  await output('rm', second)
  expect(await output('ls')).toBe('')
})

test('a killed upload goes on', async () => {
  const size = chooseRounds(20, 500) * mebibyte
  const rounds = chooseRounds(2, 10)
  const bytes = randomBytes(size)
  await writeFiles({ 'large.bin': bytes, small: 'text' })
  const args = ['put', 'large.bin', 'small']
  proxy.clearExchanges()
  for (let round = 0; round < rounds; round += 1) {
    const { child, result } = startClient(args, settings())
    await proxy.stallPutsAfter(randomInt(size / rounds / 2))
    child.kill('SIGKILL')
    expect(await result).toMatchObject({ code: null, stdout: '' })
    proxy.restore()
  }
  const link = await output(...args)
  const sentBytes = proxy.exchanges.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0)
  expect(sentBytes).toBeLessThan(2 * size)
  const links = await output('ls')
  expect(links.split('\n')).toEqual([expect.stringContaining(link)])
  expect(await getFiles(link)).toEqual({
    'large.bin': sha256(bytes),
    small: sha256(Buffer.from('text')),
  })
  expect(await readdir(join(folder, 'config/mayfly/uploads'))).toEqual([])
})

test('a killed upload starts anew if the server has removed it', async () => {
  await writeFiles({ large: randomBytes(10 * mebibyte), small: 'text' })
  const args = ['put', 'large', 'small', '--each']
  const { child, result } = startClient(args, settings())
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  expect(await result).toMatchObject({ code: null })
  const links = await json<Link[]>(await person.fetch('/api/links'))
  for (const { shortCode } of links) {
    await expectOk(await person.fetch(`/api/links/${shortCode}`, { method: 'DELETE' }))
  }
  const newLinks = (await output(...args)).split('\n')
  expect(newLinks).toHaveLength(2)
  for (const { shortCode } of links) expect(newLinks.join()).not.toContain(shortCode)
  expect(await getFiles(newLinks[1] ?? '')).toEqual({ small: sha256(Buffer.from('text')) })
})

test.runIf(isLongRun)('an upload waits while the server is away', async () => {
  const bytes = randomBytes(10 * mebibyte)
  await writeFiles({ file: bytes })
  const { result } = startClient(['put', 'file'], settings())
  await proxy.stallPutsAfter(mebibyte)
  proxy.cut()
  await setTimeout(30_000)
  proxy.restore()
  const { code, stdout, stderr } = await result
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(await getFiles(stdout.trim())).toEqual({ file: sha256(bytes) })
})

test('an upload of several links waits for a server that has answered before', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `file ${index}`)
  await writeFiles(Object.fromEntries(names.map((name) => [name, name])))
  const { child, result } = startClient(['put', '--each', ...names], settings())
  await once(child.stdout, 'data')
  proxy.cut()
  await setTimeout(500)
  proxy.restore()
  const { code, stdout } = await result
  expect({ code, links: stdout.trim().split('\n').length }).toEqual({ code: 0, links: 10 })
})

test('a killed download goes on', async () => {
  const bytes = randomBytes(chooseRounds(16, 500) * mebibyte)
  const { shortCode, id } = await makeFile(person, { name: 'file', bytes })
  const args = ['get', shortCode, '-o', 'target']
  const partPath = join(folder, `target/.mayfly-${id}.part`)
  for (let round = 0; round < chooseRounds(1, 10); round += 1) {
    const earlierSize = await sizeOf(partPath)
    const { child, result } = startClient(args, settings())
    while ((await sizeOf(partPath)) === earlierSize) await setTimeout(1)
    child.kill('SIGKILL')
    expect(await result).toMatchObject({ code: null, stdout: '' })
  }
  expect(await sizeOf(partPath)).toBeGreaterThan(0)
  expect(await run(...args)).toMatchObject({ code: 0, stdout: `${join('target', 'file')}\n` })
  expect(sha256(await readFile(join(folder, 'target/file')))).toBe(sha256(bytes))
})

test('a download goes on from what an earlier one has left, and notices wrong bytes', async () => {
  const bytes = randomBytes(1000)
  const { shortCode, id } = await makeFile(person, { name: 'file', bytes })
  const link = `${proxy.url}/s/${shortCode}`
  await app.deps.db.update(files).set({ sha256: sha256(bytes) })
  const target = join(folder, 'target')
  await mkdir(target)
  const partPath = join(target, `.mayfly-${id}.part`)

  await writeFile(partPath, Buffer.alloc(500))
  expect(await run('get', link, '-o', target)).toMatchObject({ code: 1, stdout: '' })
  expect(await readdir(target)).toEqual([`.mayfly-${shortCode}.json`])

  await writeFile(partPath, bytes.subarray(0, 500))
  expect(await output('get', link, '-o', target)).toBe(join(target, 'file'))
  expect(await readFile(join(target, 'file'))).toEqual(bytes)
  expect(await output('get', link, '-o', target)).toBe(join(target, 'file'))

  await writeFile(join(target, 'file'), 'mine')
  expect(await run('get', link, '-o', target)).toMatchObject({ code: 1 })
  expect(await readFile(join(target, 'file'), 'utf8')).toBe('mine')
})

test('a full disk fails the upload at once', async () => {
  await writeFiles({ file: 'text' })
  space.freeBytes = 0
  const result = await run('put', 'file')
  space.freeBytes = Number.POSITIVE_INFINITY
  expect(result).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('free space'),
  })
})

describe('the key', () => {
  test('is refused if it is wrong, and never printed', async () => {
    await writeFiles({ file: 'text' })
    const wrongKeys = [`mfy_${'a'.repeat(38)}`, 'secret\nvalue']
    const results = await Promise.all(
      wrongKeys.map((MAYFLY_KEY) => runClient(['put', 'file'], settings({ MAYFLY_KEY }))),
    )
    for (const [index, result] of results.entries()) {
      expect(result).toMatchObject({ code: 3, stdout: '' })
      expect(result.stderr).not.toContain(wrongKeys[index]?.slice(0, 6))
    }
  })

  test('ends running uploads when it is revoked', async () => {
    const { id, key: revokedKey } = await makeKey(person)
    await writeFiles({ file: randomBytes(10 * mebibyte) })
    const { result } = startClient(['put', 'file'], settings({ MAYFLY_KEY: revokedKey }))
    await proxy.stallPutsAfter(mebibyte)
    await revokeKey(person, id)
    proxy.restore()
    expect(await result).toMatchObject({ code: 3, stdout: '' })
  })

  test('is not sent to the server of a link', async () => {
    const headers: IncomingHttpHeaders[] = []
    const server = createServer((request, response) => {
      headers.push(request.headers)
      response.writeHead(404).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    expect(await run('get', `http://127.0.0.1:${port}/s/code`)).toMatchObject({ code: 4 })
    server.close()
    expect(headers).toEqual([expect.not.objectContaining({ authorization: expect.anything() })])
  })

  test('can be in a file that others must not read', async () => {
    const env = { XDG_CONFIG_HOME: join(folder, 'config') }
    const configFile = join(folder, 'config/mayfly/config.json')
    await writeFiles({ 'config/mayfly/config.json': JSON.stringify({ url: proxy.url, key }) })
    await chmod(configFile, 0o600)
    expect(await runClient(['ls'], { env })).toEqual({ code: 0, stdout: '', stderr: '' })

    await writeFile(configFile, key)
    const invalid = await runClient(['ls'], { env })
    expect(invalid).toMatchObject({ code: 2, stderr: `${configFile} is not valid JSON.\n` })

    await chmod(configFile, 0o640)
    const result = await runClient(['ls'], { env })
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('chmod 600') })
  })
})

test('a wrong command line is a usage error', async () => {
  const commandLines = [
    ['sing'],
    ['toString'],
    ['put'],
    ['put', ''],
    ['put', 'file', '--days', 'x'],
    ['put', 'file', '--limit', 'Infinity'],
    ['get', 'localhost:1/s/code'],
    ['ls', '--days', '3'],
    ['get', 'x', '--title', 'y'],
    ['rm', 'https://elsewhere.example/s/abcdefghij'],
  ]
  const results = await Promise.all(commandLines.map((args) => run(...args)))
  for (const result of results) expect(result).toMatchObject({ code: 2, stdout: '' })
})

test('a message cannot control the terminal', async () => {
  const server = createServer((_, response) => {
    response.writeHead(404).end(JSON.stringify({ message: '\x1b[2JGone\x07' }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const { stderr } = await run('get', `http://127.0.0.1:${port}/s/code`)
  server.close()
  expect(stderr).toBe(' [2JGone \n')
})

test('a request for files', async () => {
  const url = await output('request', 'Your photos', '--days', '2', '--limit', '3')
  expect(url).toMatch(new RegExp(`^${proxy.url}/r/\\w{10}$`))
})

test('a server that cannot be reached has its own exit code', async () => {
  const args = ['put', 'file']
  await writeFiles({ file: randomBytes(mebibyte) })
  const { child, result } = startClient(args, settings())
  await proxy.stallPutsAfter(0)
  child.kill('SIGKILL')
  await result
  proxy.cut()
  // Whether the upload is new or goes on.
  for (const command of [['ls'], args]) {
    const { code, stdout, stderr } = await run(...command)
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
    expect(stderr).toMatch(/^The server can't be reached: E[A-Z]+\.\n$/)
  }
  const atIpv6 = await runClient(['ls'], settings({ MAYFLY_URL: 'http://[::1]:1' }))
  expect(atIpv6).toMatchObject({ code: 5, stdout: '' })
})
