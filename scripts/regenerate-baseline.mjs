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
const out = process.argv[2] ?? join(db, 'migrations')
const breakpoint = '--> statement-breakpoint\n'

rmSync(out, { recursive: true, force: true })
const generate = ['generate', '--dialect=postgresql', '--name=baseline', `--out=${out}`]
const { status, stdout, stderr } = spawnSync(
  join(root, 'node_modules/.bin/drizzle-kit'),
  [...generate, '--schema=src/server/db/schema.ts'],
  { cwd: root, encoding: 'utf8' },
)
if (status !== 0) throw new Error(`drizzle-kit failed: ${stdout}${stderr}`)

rewrite('0000_baseline.sql', (tables) =>
  [read('extensions.sql'), `${tables.trim()}\n`, read('triggers.sql')].join(breakpoint),
)
// drizzle-kit writes the current time and a random id, which would make each output different.
rewrite('meta/_journal.json', (text) => text.replace(/"when": \d+/, '"when": 0'))
rewrite('meta/0000_snapshot.json', (text) =>
  text.replace(/"id": "[^"]+"/, '"id": "00000000-0000-0000-0000-000000000001"'),
)

function read(name) {
  return readFileSync(join(db, name), 'utf8')
}

function rewrite(name, change) {
  const file = join(out, name)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}
