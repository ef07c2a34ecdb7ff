import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { beforeAll, describe, expect, it } from 'vitest'

/**
 * The rule of CONTRIBUTING.md: a source file that makes decisions has a test beside it with the
 * same name. A file makes decisions if it has at least this many branches. The number is higher for
 * the web, because hooks and components there also have branches that only arrange things.
 */
const fewestBranches = { web: 6, elsewhere: 5 }

/**
 * Files that are tested elsewhere. Each comment says why the test is not beside the files below it.
 */
const provedElsewhere: Readonly<Record<string, string>> = {
  // The test needs the whole process.
  'src/server/main.ts': 'tests/lifecycle.test.ts',
  'src/server/start-server.ts': 'tests/lifecycle.test.ts',
  'src/server/open-data-folder.ts': 'tests/lifecycle.test.ts',
  'src/server/db/row-copies.ts': 'tests/move.test.ts',
  'src/server/backup/move.ts': 'tests/s3-move.test.ts',
  // The test is an attack that must fail, written for an auditor.
  'src/server/auth/google/issuer.ts': 'tests/attacks/lying-issuer.test.ts',
  // Only one other file uses this SQL or this thread, and its test reaches them.
  'src/server/auth/signup-queries.ts': 'src/server/auth/verify-email.test.ts',
  'src/server/storage/disk/digest-thread.ts': 'src/server/storage/disk/file-digests.test.ts',
  'src/server/storage/disk/digest-worker.ts': 'src/server/storage/disk/file-digests.test.ts',
  'src/server/abuse/queries.ts': 'src/server/abuse/take-down.test.ts',
  'src/server/admin/user-queries.ts': 'src/server/admin/user-search.test.ts',
  'src/server/uploads/queries.ts': 'src/server/uploads/start-upload.test.ts',
  // One test covers several files that work together.
  'src/server/startup-settings.ts': 'src/server/config.test.ts',
  'src/server/log-output.ts': 'src/server/log.test.ts',
  'src/server/backup/make-backup.ts': 'src/server/backup/backup.test.ts',
  'src/server/backup/restore-backup.ts': 'src/server/backup/backup.test.ts',
  'src/server/admin/audit-queries.ts': 'src/server/admin/audit-plans.test.ts',
  'src/server/admin/checks/queries.ts': 'src/server/admin/checks/checks.test.ts',
  'src/server/abuse/routes.ts': 'src/server/abuse/report-pages.test.ts',
  'src/server/files/queries.ts': 'src/server/files/delete-files.test.ts',
  // The test reads the API reference of the whole contract, as the server sends it.
  'src/web/public-pages/api-reference/call-section.tsx': 'tests/api-reference.test.ts',
  // These files need a real browser.
  'src/web/admin/audit-section.tsx': 'tests/e2e/admin-center.spec.ts',
  'src/web/public-pages/landing/offer-drop.ts': 'tests/e2e/landing.spec.ts',
  'src/web/downloads/enhance.ts': 'tests/e2e/download-page.spec.ts',
  'src/web/files/manager/file-manager.tsx': 'tests/e2e/file-manager.spec.ts',
  'src/web/public-pages/feedback-script.ts': 'tests/e2e/texts.spec.ts',
}

const root = resolve(import.meta.dirname, '..')

/**
 * Counts the branches in a source text: `if`, `? :`, `&&`, `||`, `case` and `catch`. Branches
 * directly inside JSX do not count, because the stories show what a component draws. Branches in
 * functions inside JSX count.
 */
function countBranches(path: string, text: string): number {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed`)
  let branches = 0
  /** A stack: for each function and JSX element around the current place, whether it is JSX. */
  const isDrawn = [false]
  const count = () => {
    if (!isDrawn.at(-1)) branches += 1
  }
  const countOperator = ({ operator }: { operator: string }) => {
    if (operator !== '??') count()
  }
  const countCase = ({ test }: { test: unknown }) => {
    if (test !== null) count()
  }
  const enter = (drawn: boolean) => () => void isDrawn.push(drawn)
  const leave = () => void isDrawn.pop()
  new Visitor({
    IfStatement: count,
    ConditionalExpression: count,
    CatchClause: count,
    LogicalExpression: countOperator,
    SwitchCase: countCase,
    JSXElement: enter(true),
    'JSXElement:exit': leave,
    JSXFragment: enter(true),
    'JSXFragment:exit': leave,
    ArrowFunctionExpression: enter(false),
    'ArrowFunctionExpression:exit': leave,
    FunctionDeclaration: enter(false),
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter(false),
    'FunctionExpression:exit': leave,
  }).visit(program)
  return branches
}

function isTest(path: string): boolean {
  return /\.(test|suite)\.tsx?$/.test(path)
}

/** Returns a path without the ending of a source file or of a test. */
function stemOf(path: string): string {
  return path.replace(/(\.(test|suite))?\.tsx?$/, '')
}

/**
 * Returns the source files that have a test beside them. The test has the same name, or a longer
 * name that begins with it. For example, `send-parts-retries.test.ts` belongs to `send-parts.ts`.
 * If several source files fit, the test belongs to the one with the longest name.
 */
function withTests(paths: readonly string[]): Set<string> {
  const sources = paths.filter((path) => !isTest(path))
  const tested = paths.filter(isTest).flatMap((test) => {
    const stem = stemOf(test)
    const owners = sources.filter(
      (path) => stem === stemOf(path) || stem.startsWith(`${stemOf(path)}-`),
    )
    return owners.toSorted((a, b) => b.length - a.length).slice(0, 1)
  })
  return new Set(tested)
}

/** Returns the source files that make decisions but have no test beside them. */
function untested(files: ReadonlyMap<string, string>): string[] {
  const tested = withTests([...files.keys()])
  return [...files].flatMap(([path, text]) => {
    if (isTest(path) || path.endsWith('.d.ts') || tested.has(path)) return []
    const fewest = path.startsWith('src/web/') ? fewestBranches.web : fewestBranches.elsewhere
    return countBranches(path, text) >= fewest ? [path] : []
  })
}

describe('the source', () => {
  let found: string[]
  beforeAll(async () => {
    const names = await readdir(join(root, 'src'), { recursive: true })
    const paths = names.filter((name) => /\.tsx?$/.test(name)).map((name) => join('src', name))
    const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')))
    found = untested(new Map(paths.map((path, at) => [path, texts[at] ?? ''])))
  })

  it('has a test beside each file that decides something, under its own name', () => {
    expect(found.filter((path) => !(path in provedElsewhere))).toEqual([])
  })

  it('has no exception that is not needed, or whose test is gone', () => {
    for (const [path, test] of Object.entries(provedElsewhere)) {
      expect(found, `${path} needs no exception`).toContain(path)
      expect(existsSync(join(root, test)), `${test} is gone`).toBe(true)
    }
  })
})

describe('a branch', () => {
  it.each([
    ['if (a) b()', 1],
    ['if (a) b(); else if (c) d(); else e()', 2],
    ['const a = b ? c : d', 1],
    ['const a = (b && c) || d', 2],
    ['const a = b ?? c?.d', 0],
    ['switch (a) { case 1: case 2: b(); break; default: c() }', 2],
    ['try { a() } catch { b() } finally { c() }', 1],
    ['for (const a of b) while (c) d()', 0],
  ])('of %s: %i', (text, branches) => {
    expect(countBranches('a.ts', text)).toBe(branches)
  })

  it.each([
    ['const a = <b>{c ? <d /> : <>{e && f}</>}</b>', 0],
    ['const a = <b>{c.map((d) => (e ? <f>{g ? h : i}</f> : null))}</b>', 1],
    ['const a = <b onClick={() => { if (c) d() }} />', 1],
    ['const a = <b />; const c = d ? e : f', 1],
  ])('of what is drawn is none, of its functions it is: %s: %i', (text, branches) => {
    expect(countBranches('a.tsx', text)).toBe(branches)
  })
})

describe('a file that decides', () => {
  const decides = (branches: number) => 'if (a) b()\n'.repeat(branches)

  it.each([
    ['src/server/a.ts', 4, false],
    ['src/server/a.ts', 5, true],
    ['src/shared/rules/a.ts', 5, true],
    ['src/web/a.tsx', 5, false],
    ['src/web/a.tsx', 6, true],
  ])('%s with %i branches is refused without a test: %s', (path, branches, isRefused) => {
    expect(untested(new Map([[path, decides(branches)]]))).toEqual(isRefused ? [path] : [])
  })

  it.each([
    ['a.test.ts', true],
    ['a.test.tsx', true],
    ['a.suite.ts', true],
    ['a-in-parts.test.ts', true],
    ['a.ts.md', false],
    ['ab.test.ts', false],
    ['other.test.ts', false],
    ['deeper/a.test.ts', false],
  ])('is tested by %s: %s', (test, isTested) => {
    const path = 'src/server/a.ts'
    const files = new Map([
      [path, decides(9)],
      [`src/server/${test}`, ''],
    ])
    expect(untested(files)).toEqual(isTested ? [] : [path])
  })

  it('is not tested by the test of a file whose name begins like its own', () => {
    const files = new Map([
      ['src/server/issuer.ts', decides(9)],
      ['src/server/issuer-faults.ts', decides(9)],
      ['src/server/issuer-faults.test.ts', ''],
    ])
    expect(untested(files)).toEqual(['src/server/issuer.ts'])
  })
})
