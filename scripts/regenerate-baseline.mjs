/**
 * Regenerates the baseline migration from `schema.ts`, `extensions.sql` and `triggers.sql` in
 * `src/server/db`: `node scripts/regenerate-baseline.mjs [FOLDER]`. The output is deterministic, so
 * that branches merge cleanly.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const db = join(root, 'src/server/db')
const outFolder = process.argv[2] ?? join(db, 'migrations')
const breakpoint = '--> statement-breakpoint\n'

rmSync(outFolder, { recursive: true, force: true })
const generateArgs = ['generate', '--dialect=postgresql', '--name=baseline', `--out=${outFolder}`]
const { status, stdout, stderr } = spawnSync(
  join(root, 'node_modules/.bin/drizzle-kit'),
  [...generateArgs, '--schema=src/server/db/schema.ts'],
  { cwd: root, encoding: 'utf8' },
)
if (status !== 0) throw new Error(`drizzle-kit failed: ${stdout}${stderr}`)

rewrite('0000_baseline.sql', (tables) =>
  [readSource('extensions.sql'), `${tables.trim()}\n`, readSource('triggers.sql')].join(breakpoint),
)
// drizzle-kit writes the current time and a random id, which would make each output different.
rewrite('meta/_journal.json', (text) => text.replace(/"when": \d+/, '"when": 0'))
rewrite('meta/0000_snapshot.json', (text) =>
  text.replace(/"id": "[^"]+"/, '"id": "00000000-0000-0000-0000-000000000001"'),
)

function readSource(name) {
  return readFileSync(join(db, name), 'utf8')
}

function rewrite(name, transform) {
  const file = join(outFolder, name)
  writeFileSync(file, transform(readFileSync(file, 'utf8')))
}
