import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type OtlpReceiver, startOtlpReceiver } from '../../../tests/support/otlp-receiver.ts'
import { freshDatabase } from '../../../tests/support/postgres.ts'
import type { TestDatabase } from '../../../tests/support/postgres-server.ts'
import { startTracing } from './start-tracing.ts'

const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736'

let receiver: OtlpReceiver
let database: TestDatabase
beforeEach(async () => {
  receiver = await startOtlpReceiver()
  database = await freshDatabase()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.url)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await receiver.close()
  await database.drop()
})

/** Sends one statement outside a request, and one in each of two requests. Returns the spans. */
async function trace({ share = 1, asksCaller = true } = {}) {
  const settings = { share, asksCaller, followsCaller: true }
  const tracing = startTracing(settings, pino({ level: 'silent' }))
  const pool = new tracing.Pool({ connectionString: database.url, max: 1 })
  pool.on('error', () => {})
  const server = createServer((request, response) =>
    tracing.request(request, response, async () => {
      await pool.query('select 2')
      response.end()
    }),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await pool.query('select 1')
  for (const flag of ['01', '00']) {
    const traceparent = `00-${callersTrace}-00f067aa0ba902b7-${flag}`
    const closed = once(server, 'request').then(([, response]) => once(response, 'close'))
    await (await fetch(`http://127.0.0.1:${port}`, { headers: { traceparent } })).text()
    await closed
  }
  await pool.query('select 3')
  await new Promise((closed) => {
    server.close(closed)
    server.closeAllConnections()
  })
  await pool.end()
  await tracing.close()
  return receiver.spans.map(({ name, traceId, attributes }) => {
    expect(traceId).toBe(callersTrace)
    return attributes['db.query.text'] ?? name
  })
}

it('traces requests with their statements, and nothing that the server does by itself', async () => {
  expect(await trace()).toEqual(['select 2', 'GET undeclared'])
})

it.each([
  ['the caller asks for a trace, where it decides', { share: 0, asksCaller: true }, 1],
  ['its share is 1, also where the caller asks for none', { share: 1, asksCaller: false }, 2],
  ['nobody asks, where its share is 0', { share: 0, asksCaller: false }, 0],
])('traces a request if %s', async (_, settings, count) => {
  expect(await trace(settings)).toHaveLength(2 * count)
})
