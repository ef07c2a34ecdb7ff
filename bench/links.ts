import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { maxBatchLength } from '../src/shared/contract/batch.ts'
import { type CurlRequest, curl } from './curl.ts'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { contentType, type Mayfly, signIn, uploadCalls } from './mayfly.ts'
import type { Nginx } from './nginx.ts'
import { readCpuSeconds, readPeakBytes, resetPeak } from './process-cost.ts'
import { compare, createRow, type Row } from './report.ts'
import { runWrk } from './wrk.ts'

const rounds = 5
const fileBytes = 1024 ** 2
const manyFiles = 1000

/**
 * Measures links of several files: an archive of 1,000 files of 1 MiB, in one stream and a range of
 * it, against nginx sending one file of the same size; the page and the details of such a link; and
 * the confirm of 100 of its files.
 */
export async function measureLinks(
  { mayfly, nginx }: { mayfly: Mayfly; nginx: Nginx },
  cores: Cores,
  scratch: string,
): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const calls = uploadCalls(mayfly, http, cookie)
  const names = Array.from({ length: manyFiles }, (_, index) => `photo ${index}.jpg`)
  const { link, uploads } = await calls.startLink(names, fileBytes)
  const body = Buffer.alloc(fileBytes, 7)
  for (const { uploadUrl } of uploads) {
    await http.expectOk(uploadUrl, {
      method: 'PUT',
      headers: { 'content-type': contentType },
      body,
    })
  }
  const confirmSeconds: number[] = []
  for (let from = 0; from < uploads.length; from += maxBatchLength) {
    const startedAt = performance.now()
    await calls.confirmAll(uploads.slice(from, from + maxBatchLength))
    confirmSeconds.push((performance.now() - startedAt) / 1000)
  }

  const url = `${mayfly.url}/api/download/${link.shortCode}`
  const head = await http.expectOk(url, { method: 'HEAD' })
  const zipBytes = Number(head.headers['content-length'])
  const nginxFile = await open(join(nginx.root, 'zip-sized'), 'w')
  await nginxFile.truncate(zipBytes)
  await nginxFile.close()
  const nginxUrl = `${nginx.url}/zip-sized`
  const quarterBytes = Math.floor(zipBytes / 4)
  const mayflyPids = () => mayfly.pids()
  const rows: Row[] = []
  for (const [label, range, bytes] of [
    ['zip of 1,000 files of 1 MiB', undefined, zipBytes],
    ['the last three quarters of it', `${quarterBytes}-`, zipBytes - quarterBytes],
  ] as const) {
    const samples = { mayfly: [] as Sample[], nginx: [] as Sample[] }
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, target, pids] of [
        ['mayfly', url, mayflyPids],
        ['nginx', nginxUrl, () => nginx.pids],
      ] as const) {
        const request = { url: target, ...(range && { range }) }
        const sample = await measureDownload(cores, request, bytes, join(scratch, 'curl'), pids)
        // The first round is a warm-up.
        if (round > 0) samples[name].push(sample)
      }
    }
    const toRow = (unit: string, key: keyof Sample) =>
      compare(
        label,
        unit,
        samples.mayfly.map((sample) => sample[key]),
        samples.nginx.map((sample) => sample[key]),
      )
    rows.push(toRow('MB/s', 'megabytesPerSecond'), toRow('CPU s', 'cpu'), toRow('MiB peak', 'peak'))
  }
  const pageLoads = {
    'the page of 1,000 files': { path: `/s/${link.shortCode}`, headers: { accept: 'text/html' } },
    'the details of 1,000 files': { path: `/api/links/${link.shortCode}`, headers: {} },
  }
  for (const [label, { path, headers }] of Object.entries(pageLoads)) {
    const pids = () => [...mayfly.pids(), ...mayfly.postgresPids()]
    const load = { url: `${mayfly.url}${path}`, headers, pids }
    const figures = [await runWrk(cores, load), await runWrk(cores, load)]
    const rates = figures.map(({ requestsPerSecond }) => requestsPerSecond)
    rows.push(createRow(label, 'requests/s', { mayfly: rates }))
  }
  rows.push(createRow('confirm of 100 files of a link', 's', { mayfly: confirmSeconds }))
  http.close()
  return rows
}

interface Sample {
  megabytesPerSecond: number
  cpu: number
  peak: number
}

async function measureDownload(
  cores: Cores,
  request: CurlRequest,
  bytes: number,
  configFile: string,
  pids: () => readonly number[],
): Promise<Sample> {
  const cpuBefore = readCpuSeconds(pids())
  resetPeak(pids())
  const { seconds } = await curl(cores, [request], bytes, configFile)
  return {
    megabytesPerSecond: bytes / 1e6 / seconds,
    cpu: readCpuSeconds(pids()) - cpuBefore,
    peak: readPeakBytes(pids()) / 1024 ** 2,
  }
}
