import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Client,
  makeClient,
  makeFile,
  makePerson,
  startUpload,
} from '../../../tests/support/make.ts'
import { type Scrape, scrape } from '../../../tests/support/scrape.ts'
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts'
import { endpoints } from '../../shared/contract/index.ts'
import { type JobQueue, openJobQueue } from '../jobs/job-queue.ts'
import { recordFailedRun, recordRun } from '../jobs/queries.ts'
import { createMetrics, watchSpace } from './metrics.ts'

let app: TestApp
let queue: JobQueue
let visitor: Client
beforeAll(async () => {
  app = await startTestApp()
  queue = await openJobQueue(app.pool, app.deps.log)
  visitor = makeClient(app)
})
afterAll(async () => {
  await queue.stop()
  await app.close()
})

let metricsBefore: Scrape
beforeEach(async () => {
  metricsBefore = await scrape(app)
})

/**
 * Waits for a series to grow by this much, because responses are counted only after they are sent.
 */
function expectGrowth(series: string, expectedGrowth: number) {
  const measureGrowth = async () =>
    ((await scrape(app)).get(series) ?? 0) - (metricsBefore.get(series) ?? 0)
  return expect.poll(measureGrowth, { message: series }).toBe(expectedGrowth)
}

function requestSeries(method: string, route: string, status: number | 'none') {
  return `mayfly_http_requests_total{method="${method}",route="${route}",status="${status}"}`
}

describe('requests', () => {
  it('are counted by route', async () => {
    for (const code of ['aaaaaaaaaa', 'bbbbbbbbbb']) await visitor.fetch(`/api/links/${code}`)
    await expectGrowth(requestSeries('GET', '/api/links/{code}', 404), 2)
    const countSeries = 'mayfly_http_request_duration_seconds_count{route="/api/links/{code}"}'
    await expectGrowth(countSeries, 2)
  })

  it('with unknown paths, methods or hosts share labels', async () => {
    for (const path of ['/a', '/b.php', '/api/c', '/assets/d.js', '/assets/%00']) {
      await visitor.fetch(path, { headers: { accept: 'text/html' } })
    }
    await expectGrowth(requestSeries('GET', 'undeclared', 404), 5)
    await visitor.fetch('/api/health', { method: 'PROPFIND' })
    await expectGrowth(requestSeries('other', '/api/health', 405), 1)
    const routes = [...(await scrape(app)).keys()].flatMap(
      (series) => /[{,]route="([^"]*)"/.exec(series)?.[1] ?? [],
    )
    const declaredRoutes: string[] = Object.values(endpoints).map(({ path }) => path)
    const otherRoutes = routes.filter(
      (route) => !declaredRoutes.includes(route) && !route.startsWith('/storage/{'),
    )
    expect([...new Set(otherRoutes)]).toEqual(['undeclared'])
  })

  it('for screens, public pages and web assets have labels', async () => {
    await visitor.fetch('/login')
    await visitor.fetch('/favicon.svg')
    await visitor.fetch('/faq')
    await expectGrowth(requestSeries('GET', '/login', 200), 1)
    await expectGrowth(requestSeries('GET', '/faq', 200), 1)
    await expectGrowth(requestSeries('GET', '/{file of the web}', 200), 1)
  })
})

describe('transfers', () => {
  it('are counted with their bytes, in both directions', async () => {
    const person = await makePerson(app)
    const { shortCode, bytes } = await makeFile(person)
    const response = await visitor.fetch(`/api/download/${shortCode}`)
    expect((await response.arrayBuffer()).byteLength).toBe(bytes.length)
    await expectGrowth('mayfly_transfers_total{direction="upload",outcome="complete"}', 1)
    await expectGrowth('mayfly_transfers_total{direction="download",outcome="complete"}', 1)
    await expectGrowth('mayfly_transfer_bytes_total{direction="upload"}', bytes.length)
    await expectGrowth('mayfly_transfer_bytes_total{direction="download"}', bytes.length)
    await expectGrowth(requestSeries('PUT', '/storage/{upload}', 200), 1)
    await expectGrowth(requestSeries('GET', '/api/download/{code}', 200), 1)
    expect((await scrape(app)).get('mayfly_transfers_running{direction="upload"}')).toBe(0)
  })

  it('exclude HEAD requests', async () => {
    const { shortCode } = await makeFile(await makePerson(app))
    const headResponse = await visitor.fetch(`/api/download/${shortCode}`, { method: 'HEAD' })
    expect(headResponse.status).toBe(200)
    await expectGrowth(requestSeries('HEAD', '/api/download/{code}', 200), 1)
    await expectGrowth('mayfly_transfers_total{direction="download",outcome="complete"}', 0)
  })

  it('include rejected and interrupted ones', async () => {
    const person = await makePerson(app)
    const { uploadUrl } = await startUpload(person, { size: 2_000_000 })
    const headers = { 'content-type': 'image/png' }
    await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(2_000_000) })
    await expectGrowth('mayfly_transfers_total{direction="upload",outcome="refused"}', 1)

    const disconnect = new AbortController()
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(new Uint8Array(1000)),
    })
    const uploadPromise = fetch(uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': 'text/plain', 'content-length': '2000000' },
      body,
      duplex: 'half',
      signal: disconnect.signal,
    } as RequestInit)
    await expect
      .poll(async () => (await scrape(app)).get('mayfly_transfers_running{direction="upload"}'))
      .toBe(1)
    disconnect.abort()
    await expect(uploadPromise).rejects.toThrow()
    await expectGrowth('mayfly_transfers_total{direction="upload",outcome="cut"}', 1)
  })
})

describe('the other metrics', () => {
  it('include the pool, the event loop and the free space', async () => {
    expect(metricsBefore.get('mayfly_database_connections{state="most"}')).toBe(10)
    expect(metricsBefore.get('mayfly_database_connections{state="idle"}')).toBeGreaterThan(0)
    expect(metricsBefore.get('mayfly_database_waiting')).toBe(0)
    expect(metricsBefore.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
    expect(metricsBefore.get('mayfly_disk_free_bytes')).toBeGreaterThan(0)
  })

  it('start every error counter at 0', () => {
    for (const series of [
      'mayfly_storage_errors_total{operation="seal",store="disk"}',
      'mayfly_storage_errors_total{operation="check",store="s3"}',
      'mayfly_transfers_total{direction="upload",outcome="failed"}',
      'mayfly_mails_total{outcome="refused"}',
      requestSeries('POST', '/api/files/confirm-upload', 500),
      requestSeries('PUT', '/storage/{part}', 503),
    ]) {
      expect(metricsBefore.get(series), series).toBe(0)
    }
  })

  it('are complete in parallel scrapes', async () => {
    for (const metrics of await Promise.all(Array.from({ length: 5 }, () => scrape(app)))) {
      expect(metrics.get('mayfly_queue_jobs{queue="send-mail",state="due"}')).toBe(0)
      expect(metrics.get('mayfly_last_backup_timestamp_seconds')).toBe(0)
    }
  })

  it('omit the disk space for uploads if files are stored in a bucket', async () => {
    const metrics = createMetrics()
    watchSpace(metrics, { freeBytes: () => 5, availableBytes: () => -1 }, 's3')
    const text = await metrics.scrape()
    expect(text).toContain('mayfly_disk_free_bytes 5')
    expect(text).not.toContain('mayfly_disk_upload_room_bytes')
  })

  it('count storage failures but not client errors', async () => {
    const errorSeries = (operation: string) =>
      `mayfly_storage_errors_total{operation="${operation}",store="disk"}`
    const person = await makePerson(app)
    const { cloudKey } = await startUpload(person, { size: 5 })
    const response = await person.post('/api/files/confirm-upload', { cloudKey })
    expect(response.status).toBe(400)
    await expect(app.storage.storedSize('../no/key')).rejects.toThrow()
    await expectGrowth(errorSeries('storedSize'), 1)
    expect((await scrape(app)).get(errorSeries('seal'))).toBe(0)
  })

  it('include the jobs of all servers, and nothing stale while the database is down', async () => {
    const { db } = app.deps
    const runTime = new Date('2026-03-04T05:06:07Z')
    const result = { overdue: 3 }
    await recordRun(db, { job: 'report-overdue', startedAt: runTime, endedAt: runTime, result })
    await recordFailedRun(db, { job: 'report-overdue', failedAt: runTime, failure: 'no' })
    await queue.boss.createQueue('report-overdue')
    await queue.boss.schedule('report-overdue', '* * * * *')
    const successSeries = 'mayfly_job_last_success_timestamp_seconds{job="report-overdue"}'
    const currentMetrics = await scrape(app)
    expect(currentMetrics.get(successSeries)).toBe(runTime.getTime() / 1000)
    expect(currentMetrics.get('mayfly_job_failures_in_a_row{job="report-overdue"}')).toBe(1)
    expect(
      currentMetrics.get('mayfly_job_last_result{figure="overdue",job="report-overdue"}'),
    ).toBe(3)
    expect(currentMetrics.get('mayfly_database_up')).toBe(1)

    await app.pool.query('alter table job_runs rename to away')
    const metricsDuringOutage = await scrape(app).finally(() =>
      app.pool.query('alter table away rename to job_runs'),
    )
    expect(metricsDuringOutage.get('mayfly_database_up')).toBe(0)
    expect(metricsDuringOutage.has(successSeries)).toBe(false)
    await queue.boss.unschedule('report-overdue')
  })

  it('show the scheduling time of a job that has never succeeded', async () => {
    const successSeries = 'mayfly_job_last_success_timestamp_seconds{job="compare-storage"}'
    expect((await scrape(app)).has(successSeries)).toBe(false)
    await queue.boss.createQueue('compare-storage')
    await queue.boss.schedule('compare-storage', '0 3 * * *')
    await recordFailedRun(app.deps.db, {
      job: 'compare-storage',
      failedAt: new Date(),
      failure: 'no',
    })
    const schedule = (
      await app.pool.query<{ seconds: string }>(
        `select extract(epoch from date_trunc('milliseconds', created_on))::text as seconds
          from pgboss.schedule`,
      )
    ).rows[0]
    expect((await scrape(app)).get(successSeries)).toBe(Number(schedule?.seconds))
    await queue.boss.unschedule('compare-storage')
  })

  it("aren't public", async () => {
    const response = await visitor.fetch('/metrics', {
      headers: { 'x-forwarded-for': '192.0.2.7' },
    })
    expect(response.status).toBe(403)
    expect(await response.text()).not.toContain('mayfly_')
  })
})
