import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorTable } from '../src/shared/contract/errors.ts'
import { partSizeFor } from '../src/shared/rules/files/part-plan.ts'
import { makeKey } from './support/keys.ts'
import { makeClient, makePerson } from './support/make.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe('the API reference', () => {
  it('loads only our own files', async () => {
    const { headers, status } = await makeClient(app).fetch('/api/docs')
    expect(status).toBe(200)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe-')
    expect(policy).not.toContain('https:')
  })
})

describe('the OpenAPI document', () => {
  it('tags every endpoint, describes fields, and lists every error code', async () => {
    const document = (await (await makeClient(app).fetch('/api/openapi.json')).json()) as {
      tags: { name: string }[]
      paths: Record<string, Record<string, { tags: string[]; requestBody?: unknown }>>
      components: { schemas: { Error: { properties: { code: { enum: string[] } } } } }
    }
    const tags = document.tags.map(({ name }) => name)
    for (const methods of Object.values(document.paths)) {
      for (const operation of Object.values(methods)) expect(tags).toContain(operation.tags[0])
    }
    const startOperation = document.paths['/api/files/get-upload-url']?.post
    expect(JSON.stringify(startOperation?.requestBody)).toContain('The exact size in bytes')
    const { code } = document.components.schemas.Error.properties
    expect(code.enum).toEqual(Object.keys(errorTable))
  })
})

describe('the Node upload program in docs/uploads.md', () => {
  const run = promisify(execFile)
  let folder: string
  let program: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-guide-'))
    const guide = await readFile('docs/uploads.md', 'utf8')
    program = /```js\n(.*?)```/s.exec(guide)?.[1] ?? ''
  })
  afterAll(() => rm(folder, { recursive: true }))

  const twoPartSize = partSizeFor(0) + 1

  it.each([
    ['in one piece', 1000, true],
    ['in parts', twoPartSize, true],
    ['in parts signed during the upload', twoPartSize, false],
  ])('uploads a file %s', async (_, size, hasUrls) => {
    expect(program).toContain('parts.urls[number]')
    const adaptedProgram = hasUrls ? program : program.replace('parts.urls[number]', 'null')
    await writeFile(join(folder, 'upload.mjs'), adaptedProgram)
    await writeFile(join(folder, 'report.pdf'), Buffer.alloc(size, 7))
    const person = await makePerson(app, { tier: 'premium' })
    const { stdout } = await run(process.execPath, ['upload.mjs', 'report.pdf'], {
      cwd: folder,
      env: {
        MAYFLY_URL: app.url,
        MAYFLY_KEY: (await makeKey(person)).key,
        PATH: process.env.PATH,
      },
    })
    const link = stdout.trim()
    expect(link).toMatch(new RegExp(`^${app.url}/s/\\w+$`))
    const response = await fetch(link)
    expect((await response.arrayBuffer()).byteLength).toBe(size)
    expect(response.headers.get('content-disposition')).toContain('report.pdf')
  })
})
