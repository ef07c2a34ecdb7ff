import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { jobNames } from '../src/server/jobs/job-names.ts'
import { endpoints } from '../src/shared/contract/index.ts'
import { getProse, listRelativeLinks } from './support/markdown-links.ts'

const root = resolve(import.meta.dirname, '..')

/** The text of every document, by its path relative to the repository root. */
const documents = new Map<string, string>()

beforeAll(async () => {
  const docNames = await readdir(join(root, 'docs'), { recursive: true })
  const docPaths = docNames.filter((name) => name.endsWith('.md')).map((name) => join('docs', name))
  for (const name of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...docPaths]) {
    documents.set(name, await readFile(join(root, name), 'utf8'))
  }
})

function getText(document: string) {
  return documents.get(document) ?? ''
}

function matchGroups(text: string, pattern: RegExp) {
  return Array.from(text.matchAll(pattern), ([, group = '']) => group)
}

/** Returns the anchors that GitHub generates for a document's headings. */
function listAnchors(document: string) {
  return matchGroups(getProse(getText(document)), /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every relative link resolves to a file and heading', () => {
  const brokenLinks: string[] = []
  for (const document of documents.keys()) {
    for (const link of listRelativeLinks(getText(document))) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? document : relative(root, resolve(root, dirname(document), path))
      const fileExists = existsSync(join(root, target))
      if (!fileExists || (anchor !== undefined && !listAnchors(target).includes(anchor))) {
        brokenLinks.push(`${document}: ${link}`)
      }
    }
  }
  expect(brokenLinks).toEqual([])
})

test('every nginx example keeps short codes out of the logs', async () => {
  const siteConfig = await readFile(join(root, 'deploy/nginx/mayfly.conf'), 'utf8')
  const snippets = [...documents.values()].flatMap((text) =>
    matchGroups(text, /^```nginx\n(.*?)^```/gms),
  )
  // Check only proxies in front of Mayfly. A proxy in front of a bucket needn't forward the
  // client's IP address.
  const servers = [siteConfig, ...snippets]
    .flatMap((text) => text.split(/^server \{/m))
    .filter((server) => server.includes('proxy_set_header X-Forwarded-For'))
  expect(servers).toHaveLength(1)
  for (const server of servers) {
    expect(server).toMatch(/access_log .+ mayfly;/)
    expect(server).toMatch(/error_log .+ emerg;/)
  }
})

test('every npm script mentioned exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const missingScripts: string[] = []
  for (const [document, text] of documents) {
    const scriptNames = [
      ...matchGroups(text, /\bnpm run ([a-z][\w:-]*)/g),
      ...matchGroups(text, /\bnpm (start|test)\b/g),
    ]
    for (const name of scriptNames)
      if (!(name in scripts)) missingScripts.push(`${document}: ${name}`)
  }
  expect(missingScripts).toEqual([])
})

test('every source path in backticks exists', () => {
  const missingPaths: string[] = []
  for (const document of documents.keys()) {
    const paths = matchGroups(getProse(getText(document)), /`((?:src|tests|scripts)\/[\w./-]+)`/g)
    for (const path of paths) {
      if (!existsSync(join(root, path))) missingPaths.push(`${document}: ${path}`)
    }
  }
  expect(missingPaths).toEqual([])
})

describe('a section cited in a comment', () => {
  const paths = { spec: 'docs/specification.md', design: 'docs/architecture.md' }

  test.each(Object.entries(paths))('exists in the %s', async (documentName, path) => {
    const sections = new Set(matchGroups(getText(path), /^## (\d+)\. /gm))
    const citationPattern = new RegExp(`\\b${documentName} §(\\d+)`, 'gi')
    const missingSections: string[] = []
    for (const name of await readdir(join(root, 'src'), { recursive: true })) {
      if (!/\.tsx?$/.test(name)) continue
      const citedSections = matchGroups(
        await readFile(join(root, 'src', name), 'utf8'),
        citationPattern,
      )
      for (const section of citedSections)
        if (!sections.has(section)) missingSections.push(`${name}: §${section}`)
    }
    expect(sections.size).toBeGreaterThan(0)
    expect(missingSections).toEqual([])
  })
})

describe('docs/threats.md', () => {
  const page = 'docs/threats.md'

  test('names a test for each threat, or states that there is none', () => {
    const tables = matchGroups(
      getText(page),
      /^\| threat \| defense \| test \|\n\|[-|]+\|\n((?:\|.*\|\n)+)/gm,
    )
    const threats = tables.flatMap((table) => matchGroups(table, /^\| (.+) \|$/gm))
    const untestedThreats = threats.filter(
      (row) => !/ \| (`[\w./-]+\.tsx?`|no test; ).*$/.test(row),
    )
    expect(threats.length).toBeGreaterThan(0)
    expect(untestedThreats).toEqual([])
  })

  test('covers every endpoint', () => {
    const expectedEndpoints = Object.values(endpoints).map(
      ({ method, path }) => `\`${method} ${path}\``,
    )
    expect(expectedEndpoints.filter((endpoint) => !getText(page).includes(endpoint))).toEqual([])
  })
})

test('no line is longer than 400 characters', () => {
  const longLines: string[] = []
  for (const [document, text] of documents) {
    for (const line of text.split('\n')) {
      if (line.length > 400) longLines.push(`${document}: ${line.slice(0, 60)}`)
    }
  }
  expect(longLines).toEqual([])
})

test('docs/operations.md describes exactly the existing jobs', () => {
  const [section = ''] = matchGroups(getText('docs/operations.md'), /^## Jobs$(.*?)^## /gms)
  const rows = matchGroups(section, /^\| `([\w-]+)` \| [^|]+ \| [^|]+ \|$/gm)
  expect(rows.toSorted()).toEqual(jobNames.toSorted())
})

test('docs/specification.md announces no planned features', () => {
  const text = getText('docs/specification.md')
  expect(text).toContain('All of it works today.')
  expect(text).not.toMatch(/to come|not (?:yet )?built|coming soon|planned|\bTODO\b/i)
})

test('every decision is listed under its title', async () => {
  const indexText = getText('docs/decisions/README.md')
  for (const [document, text] of documents) {
    const name = /^docs\/decisions\/(\d.*)$/.exec(document)?.[1]
    if (name === undefined) continue
    const title = matchGroups(text, /^# (.+)$/gm)[0]
    expect(indexText).toContain(`[${title}](${name})`)
  }
})
