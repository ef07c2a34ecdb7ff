import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { uploads } from '../../src/server/db/schema.ts'
import type { File } from '../../src/shared/contract/files.ts'
import { mebibyte } from '../../src/shared/rules/format/units.ts'
import type { TestAppOptions } from './app-server.ts'
import { makeKey, revokeKey } from './keys.ts'
import { findWrongTotals } from './link-totals.ts'
import { expectOk, json, makePerson, type Person } from './make.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/** The largest file that the tests can upload. In a bucket, it has three parts. */
const maxFileSize = 20 * mebibyte

/**
 * Tests for `PUT /api/up/{name}` with curl and wget, for a server with these settings. The bytes of
 * refused and broken uploads must be gone at the end.
 */
export function describePutFile(name: string, options: () => Promise<TestAppOptions>): void {
  describe(`PUT /api/up on ${name}`, () => {
    let app: TestApp
    let user: Person
    let keyId: string
    let authorization: string
    let folder: string
    beforeAll(async () => {
      app = await startTestApp(await options())
      folder = await mkdtemp(join(tmpdir(), 'mayfly-put-'))
      const admin = await makePerson(app, { role: 'admin' })
      for (const key of ['free_max_file_size', 'premium_max_file_size']) {
        await expectOk(await admin.post('/api/admin/settings', { key, value: '20MB' }))
      }
      user = await makePerson(app, { tier: 'premium' })
      const created = await makeKey(user, { scopes: ['files:write'] })
      keyId = created.id
      authorization = `Authorization: Bearer ${created.key}`
    })
    afterEach(async () => expect(await findWrongTotals(app.pool)).toEqual([]))
    afterAll(async () => {
      await rm(folder, { recursive: true })
      const errorLines = app.logLines.filter(({ level }) => level >= 50)
      await app.close()
      expect(errorLines).toEqual([])
    })

    const start = (program: string, args: readonly string[]) =>
      spawn(program, [...args], { cwd: folder })
    const startCurlAs = (header: string, path: string, ...args: string[]) => {
      // The newest file comes first in lists.
      app.clock.advance(1000)
      return start('curl', [
        ...['-sS', '-H', header, '-w', '%{stderr}%{http_code}', ...args],
        `${app.url}/api/up/${path}`,
      ])
    }
    const startCurl = (path: string, ...args: string[]) => startCurlAs(authorization, path, ...args)
    /** Returns what the program printed. Curl prints the status at the end of standard error. */
    const finish = async (child: ChildProcessWithoutNullStreams) => {
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
      return { stdout, status: Number(stderr.slice(-3)) }
    }
    const curl = (path: string, ...args: string[]) => finish(startCurl(path, ...args))
    const pipe = (bytes: Uint8Array, path = '', ...args: string[]) => {
      const child = startCurl(path, '-T', '-', ...args)
      // Curl closes its input when it gets an error before it has sent everything.
      child.stdin.on('error', () => {}).end(bytes)
      return finish(child)
    }
    const writeTestFile = async (fileName: string, size = 1000) => {
      const bytes = randomBytes(size)
      await writeFile(join(folder, fileName), bytes)
      return bytes
    }
    const listFiles = async () => json<File[]>(await user.fetch('/api/files'))
    const expectFile = async (link: string, bytes: Uint8Array, details: Partial<File>) => {
      expect(link).toMatch(new RegExp(`^${app.url}/s/\\w{10}\n$`))
      const shortCode = link.trim().slice(-10)
      const [file] = await listFiles()
      expect(file).toMatchObject({ shortCode, size: bytes.length, ...details })
      const response = await fetch(`${app.url}/api/download/${shortCode}`)
      expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), bytes)).toBe(0)
    }
    const expectNothingNew = async (work: () => Promise<void>) => {
      const readKeys = async () => {
        const keys: string[] = []
        for await (const { key } of app.storage.list()) keys.push(key)
        return keys
      }
      const [keys, files] = [await readKeys(), await listFiles()]
      await work()
      await expect.poll(() => app.deps.db.$count(uploads)).toBe(0)
      await expect.poll(readKeys).toEqual(keys)
      expect(await listFiles()).toEqual(files)
    }

    it.each([
      ['report.pdf', { originalName: 'report.pdf', mimeType: 'application/pdf' }],
      ['Übung für Zoë 🐞.txt', { originalName: 'Übung für Zoë 🐞.txt', mimeType: 'text/plain' }],
      ['100 %?#&+.csv', { originalName: '100 %#&+.csv', mimeType: 'text/csv' }],
      ['..  x', { originalName: '. x', mimeType: 'application/octet-stream' }],
      ['-', { originalName: expect.stringMatching(/^upload \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d$/) }],
    ])('takes %j from curl', async (fileName, details) => {
      const bytes = await writeTestFile(fileName)
      const { stdout, status } = await curl('', '-T', join(folder, fileName))
      expect([status, stdout]).toEqual([201, expect.anything()])
      await expectFile(stdout, bytes, details)
    })

    it.each([
      ['a/b/c.txt', 'c.txt'],
      ['a%2Fb%5Cc.txt', 'bc.txt'],
      ['..%2f..%2fetc%2fpasswd', 'passwd'],
      ['a/..%2f..', 'file'],
      ['a%0Ab%0D%E2%80%A8c', 'ab c'],
      ['%FF%00x.txt', '%FF%00x.txt'],
    ])('names a file in the URL %s %s', async (path, originalName) => {
      const bytes = await writeTestFile('x')
      const { stdout } = await curl(path, '--path-as-is', '-T', 'x')
      await expectFile(stdout, bytes, { originalName })
    })

    it('takes no path that leads elsewhere', () =>
      expectNothingNew(async () => {
        await writeTestFile('x')
        for (const path of ['../../x', '..', '%2e%2e/x']) {
          expect((await curl(path, '--path-as-is', '-T', 'x')).status).toBe(404)
        }
      }))

    it.each([0, 1, 100_000, maxFileSize])('takes a file of %i bytes, or a pipe', async (size) => {
      const bytes = await writeTestFile('data.bin', size)
      await expectFile((await curl('', '-T', 'data.bin')).stdout, bytes, { size })
      const details = { originalName: expect.stringMatching(/^upload /), size }
      await expectFile((await pipe(bytes)).stdout, bytes, details)
      await expectFile((await pipe(bytes, 'dump.sql')).stdout, bytes, { originalName: 'dump.sql' })
    })

    it('takes a file from wget', async () => {
      const bytes = await writeTestFile('photo.jpg')
      app.clock.advance(1000)
      const args = ['-qO-', '--method=PUT', `--header=${authorization}`, '--body-file=photo.jpg']
      const { stdout } = await finish(start('wget', [...args, `${app.url}/api/up/photo.jpg`]))
      await expectFile(stdout, bytes, { originalName: 'photo.jpg', mimeType: 'image/jpeg' })
    })

    it('keeps the media type that the client names', async () => {
      const bytes = await writeTestFile('x')
      const header = 'Content-Type: image/webp; q=1'
      const { stdout } = await curl('', '-T', 'x', '-H', header)
      await expectFile(stdout, bytes, { mimeType: 'image/webp' })
    })

    it('sets days, password and download limit, and answers with the file as JSON', async () => {
      await writeTestFile('x')
      const path = 'x?days=7&password=open%20sesame&maxDownloads=2'
      const { stdout, status } = await curl(path, '-T', 'x', '-H', 'Accept: application/json')
      expect(status).toBe(201)
      const file = JSON.parse(stdout) as File
      expect(Date.parse(file.expiresAt) - Date.parse(file.createdAt)).toBe(7 * 86_400_000)
      const [link] = await json<object[]>(await user.fetch('/api/links?limit=1'))
      expect(link).toMatchObject({ hasPassword: true, maxDownloads: 2 })
    })

    it('refuses a file that is too large, before or after its bytes', () =>
      expectNothingNew(async () => {
        const bytes = await writeTestFile('large.bin', maxFileSize + 1)
        const refused = { status: 413, stdout: 'The file is too large.\n' }
        expect(await curl('', '-T', 'large.bin')).toEqual(refused)
        expect(await pipe(bytes)).toEqual(refused)
      }))

    it.each(['-H', '-HExpect:'])('keeps nothing of a body that breaks off (%s)', (header) =>
      expectNothingNew(async () => {
        const child = startCurl('x', '-T', '-', header, ...(header === '-H' ? ['X-Test: 1'] : []))
        child.stdin.on('error', () => {}).write(randomBytes(10 * mebibyte))
        await expect.poll(() => app.deps.db.$count(uploads)).toBe(1)
        child.kill('SIGKILL')
        await once(child, 'close')
      }),
    )

    it.each([
      ['?days=4', 400],
      ['?days=x', 400],
      ['?maxDownloads=0', 400],
      ['?password=', 400],
    ])('refuses %s with a line of text', (query, status) =>
      expectNothingNew(async () => {
        await writeTestFile('x')
        const refused = await curl(`x${query}`, '-T', 'x')
        const line = new RegExp(`^${query.slice(1).split('=')[0]}: .*\n$`)
        expect(refused).toEqual({ status, stdout: expect.stringMatching(line) })
        const asJson = await curl(`x${query}`, '-T', 'x', '-H', 'Accept: application/json')
        expect(JSON.parse(asJson.stdout)).toMatchObject({ code: 'INVALID_INPUT' })
      }),
    )

    it('refuses the rest of a file, which curl sends to continue an upload', () =>
      expectNothingNew(async () => {
        await writeTestFile('x')
        const stdout = 'Content-Range: Send the whole file.\n'
        expect(await curl('', '-C', '500', '-T', 'x')).toEqual({ status: 400, stdout })
      }))

    it('refuses more files than the tier allows', async () => {
      const free = await makePerson(app)
      const { key } = await makeKey(free)
      const header = `Authorization: Bearer ${key}`
      const puts = Array.from({ length: 8 }, () =>
        finish(startCurlAs(header, 'x', '-T', '/dev/null')),
      )
      const statuses = (await Promise.all(puts)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([201, 201, 201, 403, 403, 403, 403, 403])
      expect(await json(await free.fetch('/api/files'))).toHaveLength(3)
    })

    it('finishes the upload of a key that is revoked meanwhile, and refuses its next', async () => {
      const bytes = randomBytes(mebibyte)
      const child = startCurl('pipe', '-T', '-')
      const answer = finish(child)
      child.stdin.write(bytes)
      await expect.poll(() => app.deps.db.$count(uploads)).toBe(1)
      await revokeKey(user, keyId)
      child.stdin.end()
      await expectFile((await answer).stdout, bytes, { originalName: 'pipe' })
      await expectNothingNew(async () => {
        await writeTestFile('large.bin', maxFileSize)
        const refused = { status: 401, stdout: 'This API key is wrong, revoked or expired.\n' }
        expect(await curl('', '-T', 'large.bin')).toEqual(refused)
        expect(await pipe(bytes)).toEqual(refused)
      })
    })
  })
}
