import { execFile } from 'node:child_process'
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/**
 * Tests the rules of biome.json and its plugins, and the project references: which folder may
 * import from which, and some rules for the code itself. It copies the real configuration into a
 * folder, and plants files there that break each rule. Whether the project itself breaks a rule is
 * checked by `biome check`.
 */
const root = resolve(import.meta.dirname, '..')

/** The files that configure Biome. */
const configuration = [
  'biome.json',
  'no-clock.grit',
  'named-functions.grit',
  'no-tier-names.grit',
  'one-transaction.grit',
  '.gitignore',
  'package.json',
]

interface Planted {
  /** The path of the file in the tree. */
  file: string
  code: string
}

interface Crossing extends Planted {
  /** The rule that must refuse the file, and some words of its message. */
  rule: string
  says: string
}

const imports = 'lint/style/noRestrictedImports'
function crossing(file: string, code: string, says: string, rule = imports): Crossing {
  return {
    file,
    code,
    rule,
    says,
  }
}
function importing(file: string, from: string, says: string): Crossing {
  return crossing(file, `import '${from}'\n`, says)
}

const outside = 'Nothing in src imports tests, scripts or bench.'
const sharedAlone = 'src/shared runs anywhere'
const noWeb = 'The server imports nothing of the web.'
const infrastructure = 'Infrastructure imports no feature'
const queriesOnly = "A feature imports another feature's queries.ts and nothing else of it."
const upwards = 'A feature imports neither admin nor jobs nor app'
const noServer = 'The web imports nothing of the server'
const noFeature = 'A feature of the web imports no other feature.'
const clock = 'Only main.ts asks the system for the time'
const tierNames = 'Ask a field of tierTraits'
const transactions = 'Only src/server/db opens connections and transactions'
const tooLong = 'lint/style/noExcessiveLinesPerFile'

const crossings: Crossing[] = [
  importing('src/shared/contract/a.ts', '../../server/deps.ts', sharedAlone),
  importing('src/shared/contract/b.ts', '../../web/api/call.ts', sharedAlone),
  importing('src/shared/contract/c.ts', 'node:fs', sharedAlone),
  importing('src/shared/contract/d.ts', 'react', sharedAlone),
  importing('src/shared/contract/e.ts', '../../../tests/support/make.ts', outside),
  importing('src/shared/rules/a.ts', 'zod', 'A rule imports other rules'),
  importing('src/shared/rules/b.ts', '../contract/files.ts', 'A rule imports other rules'),
  importing('src/shared/rules/c.ts', '../../server/deps.ts', 'A rule imports other rules'),

  importing('src/server/http/a.ts', '../../web/api/call.ts', noWeb),
  importing('src/server/http/b.ts', 'react-dom/server', noWeb),
  importing('src/server/http/c.ts', '../../../scripts/seed-demo.ts', outside),
  importing('src/server/http/d.ts', '../app.ts', infrastructure),
  importing('src/server/http/serving.ts', '../serve.ts', infrastructure),
  importing(
    'src/server/open-storage.ts',
    './main.ts',
    'The parts of main.ts do not import main.ts',
  ),
  importing('src/server/db/a.ts', '../files/queries.ts', infrastructure),
  importing('src/server/storage/a.ts', '../jobs/jobs.ts', infrastructure),
  importing('src/server/space/a.ts', '../uploads/queries.ts', infrastructure),
  importing('src/server/email/letters/a.ts', '../../auth/sign-up.ts', infrastructure),
  importing('src/server/errors.ts', './auth/auth.ts', infrastructure),
  importing('src/server/deps.ts', './files/expire-files.ts', 'deps.ts names types'),

  importing('src/server/uploads/a.ts', '../files/expire-files.ts', queriesOnly),
  crossing('src/server/uploads/b.ts', "export type { Auth } from '../auth/auth.ts'\n", queriesOnly),
  crossing(
    'src/server/uploads/c.ts',
    "import type { Auth } from '../auth/auth.ts'\nexport type A = Auth\n",
    queriesOnly,
  ),
  crossing(
    'src/server/uploads/d.ts',
    "export function late() { return import('../downloads/open-link.ts') }\n",
    queriesOnly,
  ),
  importing('src/server/files/a.ts', '../jobs/jobs.ts', upwards),
  importing('src/server/settings/a.ts', '../admin/stats.ts', upwards),
  importing('src/server/tiers/a.ts', '../app.ts', upwards),
  importing('src/server/tiers/b.ts', '../../web/api/call.ts', noWeb),
  importing('src/server/admin/a.ts', '../app.ts', 'admin and jobs import neither app nor main'),
  importing('src/server/jobs/a.ts', '../main.ts', 'admin and jobs import neither app nor main'),
  importing('src/server/app.ts', './main.ts', 'The parts of main.ts do not import main.ts'),
  importing('src/server/serve.ts', './main.ts', 'The parts of main.ts do not import main.ts'),
  importing('src/server/branding/a.ts', '../files/expire-files.ts', queriesOnly),
  importing('src/server/backup/a.ts', '../files/queries.ts', infrastructure),
  importing('src/server/backup/b.ts', '../jobs/jobs.ts', infrastructure),
  importing('src/server/workers/a.ts', '../auth/auth.ts', infrastructure),
  importing('src/server/files/upwards-a.ts', '../backup/make-backup.ts', upwards),
  importing('src/server/files/upwards-b.ts', '../workers/workers.ts', upwards),
  importing('src/server/admin/b.ts', '../workers/workers.ts', 'admin and jobs import neither app'),

  importing('src/web/files/a.ts', '../../server/deps.ts', noServer),
  importing('src/web/main.tsx', '../server/deps.ts', noServer),
  importing('src/web/pages/a.tsx', '../../../bench/run.ts', outside),
  importing('src/web/files/b.tsx', '../pages/dashboard.tsx', 'Rooms import neither pages nor'),
  importing('src/web/files/c.tsx', '../routes.tsx', 'Rooms import neither pages nor'),
  importing('src/web/uploads/transfer/a.ts', '../engine/upload-engine.ts', 'serve the engine'),
  importing(
    'src/web/uploads/engine/a.ts',
    '../tabs/tab-leader.ts',
    'The engine knows neither tabs',
  ),
  importing(
    'src/web/uploads/engine/b.ts',
    '../../pages/dashboard.tsx',
    'Rooms import neither pages',
  ),
  importing('src/web/files/e.tsx', '../uploads/browser-uploads.ts', noFeature),
  importing('src/web/tiers/a.tsx', '../files/use-files.ts', noFeature),
  importing('src/web/auth/a.tsx', '../tiers/upgrade-card.tsx', noFeature),
  importing('src/web/uploads/panel/a.tsx', '../../files/use-files.ts', noFeature),
  importing('src/web/uploads/tabs/a.ts', '../../files/use-files.ts', noFeature),
  importing('src/web/uploads/engine/c.ts', '../../files/use-files.ts', noFeature),
  importing('src/web/uploads/records/a.ts', '../../downloads/texts.ts', noFeature),
  importing(
    'src/web/uploads/a.ts',
    '../tiers/upgrade-card.tsx',
    'the uploads take the list of files',
  ),
  importing('src/web/uploads/b.ts', '../../server/deps.ts', noServer),
  importing(
    'src/web/uploads/cards/a.tsx',
    '../../files/use-files.ts',
    'the cards take the upgrade',
  ),
  importing('src/web/downloads/a.tsx', '../files/use-files.ts', 'how a file is drawn'),
  importing('src/web/downloads/b.tsx', '../uploads/tabs/uploads-store.ts', 'how a file is drawn'),
  importing('src/web/downloads/c.tsx', '../pages/dashboard.tsx', 'Rooms import neither pages nor'),
  importing('src/web/downloads/d.tsx', '../uploads/browser-uploads.ts', 'how a file is drawn'),
  importing('src/web/built-pages/a.ts', '../files/lifeline.tsx', 'take the uploads panel'),
  importing('src/web/public-pages/a.ts', '../uploads/use-uploads.ts', 'one is dropped and kept'),
  importing(
    'src/web/public-pages/b.ts',
    '../pages/dashboard.tsx',
    'Rooms import neither pages nor',
  ),
  importing('src/web/analytics/a.tsx', '../files/use-files.ts', 'the icons of the kinds'),
  importing('src/web/admin/a.tsx', '../files/use-files.ts', 'the Admin Center takes the avatar'),
  importing('src/web/admin/b.tsx', '../auth/sign-in-again.ts', 'the Admin Center takes the avatar'),
  importing('src/web/files/g.tsx', '../admin/sections.tsx', noFeature),
  importing('src/web/files/h.tsx', '../branding/branding-form.tsx', noFeature),
  importing('src/web/branding/a.tsx', '../files/use-files.ts', noFeature),
  importing('src/web/branding/b.tsx', '../pages/dashboard.tsx', 'Rooms import neither pages nor'),
  importing('src/web/charts/a.tsx', '../analytics/findings.ts', 'web/charts draws numbers'),
  importing('src/web/charts/b.tsx', '../api/call.ts', 'web/charts draws numbers'),
  importing('src/web/files/f.tsx', '../analytics/findings.ts', noFeature),
  importing('src/server/analytics/a.ts', '../files/expire-files.ts', queriesOnly),
  importing('src/web/api/a.ts', '../files/file-row.tsx', 'web/api imports no other room'),
  importing('src/web/ui/a.tsx', '../files/file-row.tsx', 'web/ui knows nothing of the product'),
  importing(
    'src/web/ui/b.tsx',
    '../../shared/rules/tier.ts',
    'web/ui knows nothing of the product',
  ),
  crossing('src/web/files/d.ts', "import 'node:fs'\n", '', 'lint/correctness/noNodejsModules'),

  crossing(
    'src/server/http/e.ts',
    'export const port = process.env.PORT\n',
    '',
    'lint/style/noProcessEnv',
  ),
  crossing(
    'src/server/files/b.ts',
    "import { env } from 'node:process'\n\nexport const port = env.PORT\n",
    '',
    'lint/style/noProcessEnv',
  ),
  crossing(
    'src/server/files/c.ts',
    "import 'vitest'\n",
    'vitest',
    'lint/correctness/noUndeclaredDependencies',
  ),
  crossing(
    'src/shared/rules/d.ts',
    'export function now() { return new Date() }\n',
    clock,
    'plugin',
  ),
  crossing(
    'src/shared/rules/e.ts',
    'export function now() { return Date.now() }\n',
    clock,
    'plugin',
  ),
  crossing(
    'src/server/files/d.ts',
    'export function clock() { return new Date() }\n',
    clock,
    'plugin',
  ),
  crossing('src/server/files/e.ts', 'export const read = Date.now\n', clock, 'plugin'),
  ...['src/server/http/long.ts', 'src/server/http/long.test.ts', 'src/web/ui/long.suite.ts'].map(
    (file) => crossing(file, 'use()\n'.repeat(401), 'too many lines (401)', tooLong),
  ),
  ...[
    "export function keeps(tier) { return tier === 'premium' }\n",
    "export function pays(tier) { return tier !== 'free' }\n",
    'export const may = tierTraits.premium.renewal\n',
    'const { free } = tierTraits\n\nexport const may = free.renewal\n',
    'export const largest = defaultLimits.premium.maxFileSize\n',
  ].map((code, at) => crossing(`src/web/tiers/name-${at}.tsx`, code, tierNames, 'plugin')),
  ...[
    "import { drizzle } from 'drizzle-orm/node-postgres'\nexport const db = drizzle('postgres:')\n",
    "import { drizzle } from 'drizzle-orm/node-postgres'\nexport function db(c) { return drizzle(c, {}) }\n",
    "import pg from 'pg'\n\nexport const pool = new pg.Pool()\n",
    "import pg from 'pg'\n\nexport const client = new pg.Client({})\n",
    'export function take(pool) { return pool.connect() }\n',
    'export function take({ pool }, then) { return pool.connect(then) }\n',
    "export function begin(pool) { return pool.query('begin') }\n",
    'export function begin(pool) { return pool.query(`BEGIN isolation level serializable`) }\n',
    "export function begin(pool) { return pool.query('start transaction', []) }\n",
  ].map((code, at) =>
    crossing(`src/server/http/transaction-${at}.ts`, code, transactions, 'plugin'),
  ),
  crossing(
    'src/server/db/queries.ts',
    'export function take(pool) { return pool.connect() }\n',
    transactions,
    'plugin',
  ),
  ...['(size) => size', 'async () => null', '<T>(one: T): T => one'].map((arrow, at) =>
    crossing(
      `src/web/files/named-${at}.ts`,
      `export const named = ${arrow}\n`,
      'Declare this as a function',
      'plugin',
    ),
  ),
  ...['function inner() {}', 'async function inner<T>(one: T) { return one }'].map((inner, at) =>
    crossing(
      `src/web/files/inner-${at}.ts`,
      `export function outer() {\n  ${inner}\n  return inner\n}\n`,
      'Write this as an arrow',
      'plugin',
    ),
  ),
  crossing(
    'src/web/files/inner-of-callback.ts',
    'export const all = [0].map((one) => {\n  function inner() {}\n  return [one, inner]\n})\n',
    'Write this as an arrow',
    'plugin',
  ),
]

/**
 * Files that the rules must allow, although they nearly break one. A rule that refuses everything
 * would prove nothing.
 */
const allowed: Planted[] = [
  { file: 'src/shared/contract/ok.ts', code: "import 'zod'\nimport '../rules/lifetime.ts'\n" },
  { file: 'src/shared/rules/ok.ts', code: "import '../contract/errors.ts'\nimport './tier.ts'\n" },
  {
    file: 'src/shared/rules/trial.ts',
    code: "export function isPremium(tier: string) { return tier === 'premium' }\n",
  },
  {
    file: 'src/shared/rules/limits.ts',
    code: 'export const may = tierTraits[tier].renewal\n',
  },
  { file: 'src/shared/rules/moment.ts', code: 'export const start = new Date(0)\n' },
  {
    file: 'src/web/files/inner.ts',
    code: 'export function outer() {\n  const inner = () => 1\n  async function* all() { yield 1 }\n  return [inner, all]\n}\n',
  },
  { file: 'src/shared/rules/ok.test.ts', code: "import 'fast-check'\nimport 'node:fs'\n" },
  { file: 'src/server/http/ok.ts', code: "import 'hono'\nimport '../db/schema.ts'\n" },
  {
    file: 'src/server/uploads/ok.ts',
    code: "import '../files/queries.ts'\nimport './queries.ts'\n",
  },
  { file: 'src/server/uploads/ok.test.ts', code: "import '../../../tests/support/make.ts'\n" },
  { file: 'src/server/jobs/ok.ts', code: "import '../files/expire-files.ts'\n" },
  { file: 'src/server/admin/ok.ts', code: "import '../files/expire-files.ts'\n" },
  {
    file: 'src/server/db/transaction.ts',
    code: "export function begin(client) { return client.query('begin') }\n",
  },
  {
    file: 'src/server/jobs/queue.ts',
    code: "export function begun(pool, text) { return pool.query(text, ['begin']) }\n",
  },
  { file: 'src/server/config.ts', code: 'export function read() { return process.env }\n' },
  {
    file: 'src/server/main.ts',
    code: "import './jobs/ok.ts'\n\nexport function clock() { return new Date() }\n",
  },
  {
    file: 'src/web/pages/ok.tsx',
    code: "import '../files/file-row.tsx'\nimport '../ui/card.tsx'\n",
  },
  { file: 'src/web/files/ok.tsx', code: "import '../../shared/rules/tier.ts'\nimport 'react'\n" },
  { file: 'src/web/uploads/engine/ok.ts', code: "import '../transfer/send-file.ts'\n" },
  { file: 'src/web/uploads/ok.ts', code: "import '../files/use-files.ts'\n" },
  { file: 'src/web/uploads/cards/ok.tsx', code: "import '../../tiers/upgrade-card.tsx'\n" },
  {
    file: 'src/web/downloads/ok.tsx',
    code: "import '../files/lifeline.tsx'\nimport '../built-pages/toast.ts'\n",
  },
  {
    file: 'src/web/built-pages/ok.tsx',
    code: "import '../uploads/panel/uploads-panel.tsx'\n",
  },
  {
    file: 'src/web/public-pages/ok.tsx',
    code: "import '../files/lifeline.tsx'\nimport '../uploads/kept/kept-files.ts'\n",
  },
  {
    file: 'src/web/files/arrows.ts',
    code: 'export const read: (text: string) => number = (text) => text.length\nexport function sum(all: number[]) {\n  const add = (a: number, b: number) => a + b\n  return all.reduce((a, b) => add(a, b))\n}\n',
  },
  {
    file: 'src/web/analytics/ok.tsx',
    code: "import '../charts/bar-chart.tsx'\nimport '../files/kind-icon.tsx'\n",
  },
  {
    file: 'src/web/admin/ok.tsx',
    code: "import '../auth/user-avatar.tsx'\nimport '../uploads/transfer/storage-request.ts'\n",
  },
  { file: 'src/web/ui/long-enough.ts', code: `${'use()\n'.repeat(400)}// A comment.\n\n` },
  { file: 'src/server/storage/storage.suite.ts', code: 'use()\n'.repeat(401) },
  { file: 'src/web/ui/ok.ts', code: "import '../../shared/rules/theme.ts'\n" },
  { file: 'src/web/charts/ok.tsx', code: "import '../ui/card.tsx'\n" },
  { file: 'src/web/files/charted.tsx', code: "import '../charts/bar-chart.tsx'\n" },
  { file: 'src/web/routes.tsx', code: "import './pages/dashboard.tsx'\n" },
]

/** The folders of the server that all others may import from. */
const foundation = ['audit', 'db', 'email', 'http', 'metrics', 'space', 'storage']

interface Finding {
  file: string
  rule: string
  message: string
}

function run(command: string[], cwd: string) {
  return new Promise<{ code: number; output: string }>((done) => {
    const [program = '', ...rest] = command
    const args = [join(root, 'node_modules', program), ...rest]
    execFile(process.execPath, args, { cwd, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, output: stdout + stderr })
    })
  })
}

/** Returns what Biome's linter finds wrong at these paths of a folder. */
async function lint(folder: string, ...paths: string[]): Promise<Finding[]> {
  const { code, output } = await run(
    ['@biomejs/biome/bin/biome', 'lint', '--reporter=github', '--max-diagnostics=none', ...paths],
    folder,
  )
  const line = /^::\w+ title=([^,]+),file=([^,]+),.*?::(.*)$/gm
  const findings = [...output.matchAll(line)].map(([, rule = '', file = '', message = '']) => ({
    rule,
    file: file.slice(file.indexOf(`${folder}/`) + folder.length + 1),
    message,
  }))
  // If Biome is missing or its configuration is wrong, no finding must not count as a success.
  expect(code, output).toBe(findings.length > 0 ? 1 : 0)
  return findings
}

/**
 * Returns what the linter finds in one of the folders with planted files. The folder gets its own
 * copy of the configuration.
 */
async function lintAlone(name: string): Promise<Finding[]> {
  const folder = join(garden, name)
  for (const file of configuration) await cp(join(root, file), join(folder, file))
  return lint(folder, 'src')
}

/**
 * Builds all projects of a folder. Without `--force`, the compiler decides by the times of files
 * what it has to build. A file that is planted right after a build can have the build's time.
 */
function check(folder: string) {
  return run(['typescript/bin/tsc', '--build', '--force'], folder)
}

async function plant(folder: string, { file, code }: Planted): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await writeFile(join(folder, file), code)
}

async function foldersIn(path: string) {
  return (await readdir(join(root, path), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
}

let garden: string

beforeAll(async () => {
  garden = await realpath(await mkdtemp(join(tmpdir(), 'mayfly-fences-')))
  for (const name of configuration) {
    await cp(join(root, name), join(garden, name))
  }
})

afterAll(async () => {
  await rm(garden, { recursive: true, force: true })
})

describe('the linter', () => {
  let findings: Finding[]

  beforeAll(async () => {
    for (const planted of [...crossings, ...allowed]) await plant(garden, planted)
    findings = await lint(garden, 'src')
  })

  it('is asked about every planted file once', () => {
    const files = [...crossings, ...allowed].map(({ file }) => file)
    expect(new Set(files).size).toBe(files.length)
  })

  it.each(crossings)('refuses $file: $code', ({ file, rule, says }) => {
    const found = findings.filter((finding) => finding.file === file)
    expect(found.map((finding) => finding.rule)).toContain(rule)
    expect(found.find((finding) => finding.rule === rule)?.message).toContain(says)
  })

  it.each(allowed)('lets $file pass', ({ file }) => {
    expect(findings.filter((finding) => finding.file === file)).toEqual([])
  })
})

describe('a circle of imports', () => {
  it.each([
    ['values', "import { b } from './b.ts'\n\nexport function a() { return b }\n"],
    ['types', "import type { b } from './b.ts'\n\nexport type A = typeof b\n"],
  ])('of %s is refused', async (name, code) => {
    const other = "import type { A } from './a.ts'\n\nexport const b: A | null = null\n"
    await plant(garden, { file: `circle-${name}/src/web/ui/a.ts`, code })
    await plant(garden, { file: `circle-${name}/src/web/ui/b.ts`, code: other })
    const found = await lintAlone(`circle-${name}`)
    const inCircle = found.filter(({ rule }) => rule === 'lint/suspicious/noImportCycles')
    expect(inCircle.map(({ file }) => file).sort()).toEqual(['src/web/ui/a.ts', 'src/web/ui/b.ts'])
  })
})

describe('a room that is new', () => {
  it('of the server stands behind a fence: nothing below may import it', async () => {
    const rooms = (await foldersIn('src/server')).filter((room) => !foundation.includes(room))
    expect(rooms.length).toBeGreaterThan(0)
    for (const room of rooms) {
      await plant(garden, importing(`rooms/src/server/db/${room}.ts`, `../${room}/new.ts`, ''))
    }
    await expectRefusals(
      'rooms',
      rooms.map((room) => `src/server/db/${room}.ts`),
    )
  })

  it('of the web is closed to web/ui', async () => {
    const rooms = (await foldersIn('src/web')).filter((room) => !['ui', 'public'].includes(room))
    expect(rooms.length).toBeGreaterThan(0)
    for (const room of rooms) {
      await plant(garden, importing(`web-rooms/src/web/ui/${room}.ts`, `../${room}/new.ts`, ''))
    }
    await expectRefusals(
      'web-rooms',
      rooms.map((room) => `src/web/ui/${room}.ts`),
    )
  })

  it('of the web is closed to every other feature', async () => {
    const notFeatures = ['api', 'charts', 'pages', 'public', 'built-pages', 'ui']
    const rooms = (await foldersIn('src/web')).filter((room) => !notFeatures.includes(room))
    expect(rooms.length).toBeGreaterThan(0)
    const pairs = rooms.flatMap((from) => rooms.map((to) => [from, to]))
    const crossed = pairs.filter(([from, to]) => from !== to)
    for (const [from, to] of crossed) {
      const file = `web-features/src/web/${from}/of-${to}.ts`
      await plant(garden, importing(file, `../${to}/new.ts`, ''))
    }
    await expectRefusals(
      'web-features',
      crossed.map(([from, to]) => `src/web/${from}/of-${to}.ts`),
    )
  })

  const expectRefusals = async (name: string, files: string[]): Promise<void> => {
    const found = (await lintAlone(name)).filter(({ rule }) => rule === imports)
    expect(found.map(({ file }) => file).sort()).toEqual([...files].sort())
  }
})

describe('the compiler, by project references', () => {
  const projects = ['shared', 'server', 'web'] as const
  let tree: string

  /**
   * Makes projects with the real configuration. Each has one file that another project can import,
   * and finds the types that it needs.
   */
  beforeAll(async () => {
    tree = join(garden, 'compiled')
    await mkdir(join(tree, 'node_modules'), { recursive: true })
    await symlink(join(root, 'node_modules/@types'), join(tree, 'node_modules/@types'))
    await symlink(join(root, 'node_modules/vite'), join(tree, 'node_modules/vite'))
    await cp(join(root, 'package.json'), join(tree, 'package.json'))
    await cp(join(root, 'tsconfig.base.json'), join(tree, 'tsconfig.base.json'))
    const references = projects.map((project) => ({ path: `src/${project}` }))
    await writeFile(join(tree, 'tsconfig.json'), JSON.stringify({ files: [], references }))
    for (const project of projects) {
      await plant(tree, {
        file: `src/${project}/tsconfig.json`,
        code: await readFile(join(root, `src/${project}/tsconfig.json`), 'utf8'),
      })
      await plant(tree, { file: `src/${project}/there.ts`, code: 'export const there = 1\n' })
    }
    for (const project of ['server', 'web']) {
      const code = "export { there as shared } from '../shared/there.ts'\n"
      await plant(tree, { file: `src/${project}/allowed.ts`, code })
    }
  })

  it('builds the tree as it is, server and web on top of shared', async () => {
    expect(await check(tree)).toEqual({ code: 0, output: '' })
  })

  it.each([
    ['shared', 'server'],
    ['shared', 'web'],
    ['server', 'web'],
    ['web', 'server'],
  ])('refuses %s importing %s', async (from, to) => {
    const file = join(tree, `src/${from}/planted.ts`)
    await writeFile(file, `export { there as planted } from '../${to}/there.ts'\n`)
    try {
      const { code, output } = await check(tree)
      expect(code).not.toBe(0)
      expect(output).toContain(`src/${to}/there.ts`)
      expect(output).toMatch(/error TS(6059|6307)/)
    } finally {
      await rm(file)
    }
  })

  it.each([
    ['node:fs', "import 'node:fs'\n", 'TS2882'],
    ['the browser', 'export function title() { return document.title }\n', 'TS2584'],
  ])('knows nothing of %s in shared', async (_, code, error) => {
    const file = join(tree, 'src/shared/planted.ts')
    await writeFile(file, code)
    try {
      expect((await check(tree)).output).toContain(`error ${error}`)
    } finally {
      await rm(file)
    }
  })
})
