import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { curl } from './curl.ts'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, uploadCalls } from './mayfly.ts'
import { readCpuSeconds, readPeakBytes, resetPeak } from './process-cost.ts'
import { createRow, type Row } from './report.ts'
import { writeSource } from './sources.ts'
import { splitIntoThirds, watchMemory } from './watch-memory.ts'

const clientCount = 32
const fileBytes = 32 * 1024 ** 2
/** Files per client, enough to reveal a memory leak. */
const filesPerClient = 8
const gibibytes = (clientCount * filesPerClient * fileBytes) / 1024 ** 3
const mebibyte = 1024 ** 2

/**
 * Uploads 8 GiB and downloads 8 GiB, with 32 parallel transfers, and measures the server's memory
 * and CPU time. Each upload is deleted once confirmed, except for the file that is downloaded.
 */
export async function measureManyTransfers(
  mayfly: Mayfly,
  cores: Cores,
  scratch: string,
): Promise<Row[]> {
  const http = makeHttpClient(clientCount)
  const cookie = await signIn(mayfly, http)
  const calls = uploadCalls(mayfly, http, cookie)
  const source = await writeSource(scratch, fileBytes)
  const getConfigFile = (client: number) => join(scratch, `curl-${client}`)

  const upload = async (client: number) => {
    const startedUpload = await calls.start(`file-${client}.bin`, fileBytes)
    const request = { url: startedUpload.uploadUrl, source: source.path }
    await curl(cores, [request], fileBytes, getConfigFile(client))
    return calls.confirm(startedUpload)
  }
  const sharedFile = await upload(0)
  const downloadUrl = `${mayfly.url}/api/download/${sharedFile.shortCode}`
  const uploadAndDelete = async (client: number) => {
    const { id } = await upload(client)
    const url = `${mayfly.url}/api/files/${id}`
    await http.expectOk(url, { method: 'DELETE', headers: { cookie } })
  }
  const download = (client: number) =>
    curl(cores, [{ url: downloadUrl }], fileBytes, getConfigFile(client))

  const rows = [
    ...(await measure(mayfly, 'uploads', uploadAndDelete)),
    ...(await measure(mayfly, 'downloads', download)),
  ]
  await rm(source.path)
  http.close()
  return rows
}

async function measure(
  mayfly: Mayfly,
  kind: string,
  transfer: (client: number) => Promise<unknown>,
): Promise<Row[]> {
  const pids = mayfly.pids()
  const stopController = new AbortController()
  resetPeak(pids)
  const memorySamplesPromise = watchMemory(pids, stopController.signal)
  const before = { cpu: readCpuSeconds(pids), at: performance.now() }
  await Promise.all(
    Array.from({ length: clientCount }, async (_client, client) => {
      for (let file = 0; file < filesPerClient; file += 1) await transfer(client)
    }),
  )
  const seconds = (performance.now() - before.at) / 1000
  const cpuSeconds = readCpuSeconds(pids) - before.cpu
  stopController.abort()
  const thirds = splitIntoThirds(await memorySamplesPromise)
  const label = `${clientCount} ${kind} at once`
  const toMayflyValues = (value: number) => ({ mayfly: [value] })
  return [
    createRow(label, 'MB/s', toMayflyValues((gibibytes * 1024 ** 3) / 1e6 / seconds)),
    createRow(label, 'CPU s/GiB', toMayflyValues(cpuSeconds / gibibytes)),
    createRow(`${label}: memory`, 'peak MiB', toMayflyValues(readPeakBytes(pids) / mebibyte)),
    createRow(`${label}: memory, first third of the time`, 'MiB', { mayfly: thirds.first }),
    createRow(`${label}: memory, last third of the time`, 'MiB', { mayfly: thirds.last }),
  ]
}
