import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openTracing } from './open-tracing.ts'

/** Writes the address of every module that is loaded to the standard output. */
const tellLoads = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { console.log(url); return next(url, context) } })`

/** Starts the program with a setting that stops it right after its modules are loaded. */
function loadedModules(): Promise<string[]> {
  const hook = `data:text/javascript,${encodeURIComponent(tellLoads)}`
  const args = ['--import', hook, resolve('src/server/main.ts')]
  return new Promise((tell) => {
    execFile(process.execPath, args, { env: { PORT: 'none' } }, (_, output) =>
      tell(output.split('\n')),
    )
  })
}

it('costs no start anything that sends no traces: none of its libraries is loaded', async () => {
  const loaded = await loadedModules()
  expect(loaded.filter((url) => url.endsWith('/src/server/tracing/open-tracing.ts'))).toHaveLength(
    1,
  )
  const libraries = loaded.filter((url) => url.includes('/node_modules/@opentelemetry/'))
  // The library for metrics brings the API, which does nothing by itself.
  expect(libraries.filter((url) => !url.includes('/@opentelemetry/api/'))).toEqual([])
  expect(await openTracing(null, pino({ level: 'silent' }))).toBeNull()
})
