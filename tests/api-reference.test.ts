import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersJson, type Endpoint } from '../src/shared/contract/endpoint.ts'
import { errorTable } from '../src/shared/contract/errors.ts'
import { type EndpointName, endpoints } from '../src/shared/contract/index.ts'
import { partSizeFor } from '../src/shared/rules/files/part-plan.ts'
import { attributeOf, elementsOf, type ParsedPage, readPage, textOf } from './support/html.ts'
import { makeClient, makePerson } from './support/make.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

let app: TestApp
let page: ParsedPage
let headers: Headers
beforeAll(async () => {
  app = await startTestApp()
  const answer = await makeClient(app).fetch('/api/docs')
  headers = answer.headers
  page = readPage(await answer.text())
})
afterAll(() => app.close())

const names = Object.keys(endpoints) as EndpointName[]

function sectionOf(name: EndpointName) {
  const section = page
    .all('section')
    .find((element) => attributeOf(element, 'aria-labelledby') === name)
  if (!section) throw new Error(`There is nothing about ${name}.`)
  return section
}

function codeOf(element: ReturnType<typeof sectionOf>): string[] {
  return elementsOf(element, 'pre').map(textOf)
}

describe('the API reference', () => {
  it('is a page like all others: no inline script or style that was not built', () => {
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe-')
    expect(policy).not.toContain('https:')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(page.everything().filter((element) => attributeOf(element, 'style'))).toEqual([])
  })

  it.each(names)('tells all about %s', (name) => {
    const row: Endpoint = endpoints[name]
    const section = sectionOf(name)
    const says = textOf(section)
    expect(textOf(elementsOf(section, 'h3')[0])).toBe(`${row.method} ${row.path}`)
    expect(says).toContain(row.summary.replaceAll('`', ''))
    for (const code of row.errors) expect(says).toContain(`${errorTable[code].status} ${code}`)
    const links = page.all('a').map((a) => attributeOf(a, 'href'))
    expect(links).toContain(`#${name}`)
    const terms = elementsOf(section, 'dt').map((term) => textOf(elementsOf(term, 'code')[0]))
    for (const schema of [row.params, row.query, row.body]) {
      for (const field of Object.keys((schema as { shape?: object } | undefined)?.shape ?? {})) {
        expect(terms).toContain(field)
      }
    }
  })

  it('has a note for every field of the calls that anybody or a user can make', () => {
    const open = names.filter((name) => endpoints[name].access !== 'admin')
    const without = open.flatMap((name) =>
      elementsOf(sectionOf(name), 'div')
        .filter((row) => elementsOf(row, 'dt').length === 1 && elementsOf(row, 'dd').length === 0)
        .map((row) => `${name}: ${textOf(elementsOf(row, 'code')[0])}`),
    )
    expect(without).toEqual([])
  })

  it('lists every error with its sentence', () => {
    const [table] = page.all('table')
    const rows = table ? elementsOf(table, 'tr').slice(1).map(textOf) : []
    const expected = Object.entries(errorTable).map(([code, { message }]) => ({ code, message }))
    expect(rows).toHaveLength(expected.length)
    for (const { code, message } of expected) {
      expect(rows.find((row) => row.includes(code) && row.endsWith(message))).toBeDefined()
    }
  })

  it('has examples of requests that the contract accepts', () => {
    for (const name of names) {
      const row: Endpoint = endpoints[name]
      if (!row.body) continue
      const [curl = '', fetched = '', answer] = codeOf(sectionOf(name))
      const [, sent = ''] = /-d '(.*)'$/.exec(curl) ?? []
      const parsed = row.body.safeParse(JSON.parse(sent.replaceAll(`'\\''`, "'")))
      expect(parsed.error?.issues, `${name}: ${sent}`).toBeUndefined()
      expect(fetched).toContain(`fetch('${row.path.replace(/\{.*/, '')}`)
      if (answersJson(row.response)) expect(() => JSON.parse(answer ?? '')).not.toThrow()
    }
  })
})

describe('the OpenAPI document', () => {
  it('names the group of every call, and says what fields mean', async () => {
    const document = (await (await makeClient(app).fetch('/api/openapi.json')).json()) as {
      tags: { name: string }[]
      paths: Record<string, Record<string, { tags: string[]; requestBody?: unknown }>>
    }
    const tags = document.tags.map(({ name }) => name)
    for (const methods of Object.values(document.paths)) {
      for (const call of Object.values(methods)) expect(tags).toContain(call.tags[0])
    }
    const start = document.paths['/api/files/get-upload-url']?.post
    expect(JSON.stringify(start?.requestBody)).toContain('The exact size in bytes')
  })
})

describe('the program of the guide', () => {
  const run = promisify(execFile)
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-guide-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const twoParts = partSizeFor(0) + 1

  it.each([
    ['in one piece', 1000, true],
    ['in parts', twoParts, true],
    ['in parts that are signed on the way', twoParts, false],
  ])('uploads a file %s, as it stands on the page', async (_, size, hasUrls) => {
    const guide = page
      .all('section')
      .find((section) => attributeOf(section, 'aria-labelledby') === 'uploading')
    const program = guide && codeOf(guide).find((code) => code.includes('upload.mjs'))
    expect(program).toContain('parts.urls[number]')
    const changed = hasUrls ? program : program?.replace('parts.urls[number]', 'null')
    await writeFile(join(folder, 'upload.mjs'), changed ?? '')
    await writeFile(join(folder, 'report.pdf'), Buffer.alloc(size, 7))
    const person = await makePerson(app, { tier: 'premium' })
    const { stdout } = await run(process.execPath, ['upload.mjs', 'report.pdf'], {
      cwd: folder,
      env: { EMAIL: person.email, PASSWORD: person.password, PATH: process.env.PATH },
    })
    const link = stdout.trim()
    expect(link).toMatch(new RegExp(`^${app.url}/s/\\w+$`))
    const got = await fetch(link)
    expect((await got.arrayBuffer()).byteLength).toBe(size)
    expect(got.headers.get('content-disposition')).toContain('report.pdf')
  })
})
