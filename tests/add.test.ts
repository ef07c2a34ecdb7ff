import { randomBytes } from 'node:crypto'
import { chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { computeDigests } from '../src/server/abuse/compute-digests.ts'
import { links, uploads } from '../src/server/db/schema.ts'
import type { Link } from '../src/shared/contract/links.ts'
import { runAdd } from './support/add-command.ts'
import { json, makeClient, makePerson, type Person, sha256 } from './support/make.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

let app: TestApp
let folder: string
let admin: Person
beforeAll(async () => {
  app = await startTestApp()
  admin = await makePerson(app, { role: 'admin', tier: 'premium' })
  folder = await mkdtemp(join(tmpdir(), 'mayfly-add-'))
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

async function listLinks(owner: Person): Promise<Link[]> {
  return json(await owner.fetch('/api/links'))
}

test('files on the machine become a link of the administrator, while the server runs', async () => {
  const bytes = randomBytes(100_000)
  await writeFile(join(folder, 'Übersicht 1.pdf'), bytes)
  await mkdir(join(folder, 'more'))
  await writeFile(join(folder, 'more/empty'), '', { mode: 0o400 })
  const paths = [join(folder, 'Übersicht 1.pdf'), join(folder, 'more')]
  const result = await runAdd(app, [...paths, '--days', '7'])
  expect(result).toMatchObject({ code: 0, stderr: 'Added 2 files.\n' })
  const [, code = ''] = /^http.*\/s\/(\w{10})\n$/.exec(result.stdout) ?? []

  // The link keeps the bytes as they were.
  await writeFile(join(folder, 'Übersicht 1.pdf'), 'changed')
  expect(await computeDigests(app.deps)).toMatchObject({ computed: 2 })
  expect(await listLinks(admin)).toMatchObject([
    {
      shortCode: code,
      state: 'ready',
      files: [
        { name: 'Übersicht 1.pdf', mimeType: 'application/pdf', sha256: sha256(bytes) },
        { name: 'empty', size: 0 },
      ],
    },
  ])
  const fileId = (await listLinks(admin))[0]?.files[0]?.id
  const download = await makeClient(app).fetch(`/api/download/${code}/${fileId}`)
  expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(sha256(bytes))
})

test('the limits of the owner apply, and nothing is left of refused files', async () => {
  const owner = await makePerson(app)
  const paths = ['1', '2', '3', '4'].map((name) => join(folder, name))
  for (const path of paths) await writeFile(path, 'text')
  const options = ['--owner', owner.email.toUpperCase()]
  const countRows = async () => [
    await app.deps.db.$count(links),
    await app.deps.db.$count(uploads),
    await readdir(join(app.deps.config.dataDir, 'uploads')),
  ]
  const before = await countRows()
  expect(await runAdd(app, [...paths, ...options])).toMatchObject({ code: 1, stdout: '' })
  const tooLong = await runAdd(app, [paths[0] ?? '', ...options, '--days', '7'])
  expect(tooLong).toMatchObject({ code: 1, stdout: '' })
  const unknownDays = await runAdd(app, [paths[0] ?? '', ...options, '--days', '99'])
  expect(unknownDays.stderr).toBe('--days: Must be 3, 5 or 7 days.\n')
  expect(await countRows()).toEqual(before)

  expect(await runAdd(app, [...paths.slice(1), ...options])).toMatchObject({ code: 0 })
  expect(await listLinks(owner)).toHaveLength(1)
})

test('an interrupted command leaves no link', async () => {
  const many = join(folder, 'many')
  await mkdir(many)
  const names = Array.from({ length: 1000 }, (_, index) => String(index))
  await Promise.all(names.map((name) => writeFile(join(many, name), name)))
  const linkCount = await app.deps.db.$count(links)
  const hasBegun = expect.poll(() => app.deps.db.$count(uploads)).toBe(1000)
  const result = await runAdd(app, [many], {}, hasBegun)
  expect(result).toEqual({ code: 130, stdout: '', stderr: 'Interrupted: nothing is added.\n' })
  expect(await app.deps.db.$count(links)).toBe(linkCount)
  expect(await app.deps.db.$count(uploads)).toBe(0)
})

test('wrong arguments are explained', async () => {
  const results = await Promise.all([
    runAdd(app, []),
    runAdd(app, [join(folder, 'missing')]),
    runAdd(app, [folder, '--owner', 'nobody@example.org']),
  ])
  expect(results).toMatchObject([
    { code: 2, stderr: expect.stringContaining('Usage') },
    { code: 1, stderr: expect.stringMatching(/ENOENT.*missing/) },
    { code: 1, stderr: expect.stringContaining('no account') },
  ])
})

test.runIf(process.getuid?.() === 0)("root adds no files to another user's server", async () => {
  const storeFolder = join(app.deps.config.dataDir, 'files')
  await writeFile(join(folder, 'file'), 'text')
  await chown(storeFolder, 12_345, 12_345)
  const result = await runAdd(app, [join(folder, 'file')])
  expect(result).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('belongs to another user. Run this as the user that runs'),
  })
  await chown(storeFolder, 0, 0)
  const added = { code: 0, stderr: 'Added 1 file.\n' }
  expect(await runAdd(app, [join(folder, 'file')])).toMatchObject(added)
})
