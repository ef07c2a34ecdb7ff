import { pino } from 'pino'
import { expect, it } from 'vitest'
import { loadedModules } from '../../../tests/support/loaded-modules.ts'
import { openTracing } from './open-tracing.ts'

it('costs no start anything that sends no traces: none of its libraries is loaded', async () => {
  const loaded = await loadedModules('src/server/start-server.ts')
  expect(loaded.filter((url) => url.endsWith('/src/server/tracing/open-tracing.ts'))).toHaveLength(
    1,
  )
  const libraries = loaded.filter((url) => url.includes('/node_modules/@opentelemetry/'))
  // The library for metrics brings the API, which does nothing by itself.
  expect(libraries.filter((url) => !url.includes('/@opentelemetry/api/'))).toEqual([])
  expect(await openTracing(null, pino({ level: 'silent' }))).toBeNull()
})
