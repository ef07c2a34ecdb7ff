import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { maxBatchLength } from '../src/shared/contract/batch.ts'
import { makeHttpClient } from './http-client.ts'
import { contentType, type Mayfly, signIn, uploadCalls, uploadFile } from './mayfly.ts'
import type { Nginx } from './nginx.ts'
import { readCpuSeconds } from './process-cost.ts'
import { compare, createRow, type Row } from './report.ts'

const fileCount = 200
export const clientCount = 16
export const fileBytes = 100 * 1024
export const fileNames = Array.from({ length: fileCount }, (_, index) => `file-${index}`)
const rounds = 7
const warmUpRounds = 10

/** The cost of one way of uploading, with one value per round. */
interface UploadCost {
  /** Files per second. */
  rate: number[]
  /** Server CPU time per file, in milliseconds. */
  cpu: number[]
  /** CPU use of this client, as a percentage of one core. */
  clientBusy: number[]
}

/**
 * Measures how many 100 KiB files per second 16 clients upload: with three requests per file for
 * Mayfly (start, PUT, confirm), and with one PUT per file for nginx. Also measures Mayfly with one
 * link of all files, which starts them with one request and confirms 100 with each.
 */
export async function measureSmallFiles({
  mayfly,
  nginx,
}: {
  mayfly: Mayfly
  nginx: Nginx
}): Promise<Row[]> {
  const http = makeHttpClient(clientCount)
  const cookie = await signIn(mayfly, http)
  const calls = uploadCalls(mayfly, http, cookie)
  const bytes = randomBytes(fileBytes)
  const put = (url: string) =>
    http.expectOk(url, { method: 'PUT', headers: { 'content-type': contentType }, body: bytes })

  const uploadOneByOne = () =>
    inParallel(fileNames, (name) => uploadFile(mayfly, http, cookie, { name, bytes }))
  const uploadLink = async () => {
    const { uploads } = await calls.startLink(fileNames, fileBytes)
    await inParallel(uploads, ({ uploadUrl }) => put(uploadUrl))
    for (let from = 0; from < uploads.length; from += maxBatchLength) {
      await calls.confirmAll(uploads.slice(from, from + maxBatchLength))
    }
  }
  const uploadToNginx = () => inParallel(fileNames, (name) => put(`${nginx.url}/files/${name}`))

  const getMayflyPids = () => [...mayfly.pids(), ...mayfly.postgresPids()]
  const costs = await measureWays(nginx, {
    alone: { getPids: getMayflyPids, upload: uploadOneByOne },
    link: { getPids: getMayflyPids, upload: uploadLink },
    nginx: { getPids: () => nginx.pids, upload: uploadToNginx },
  })
  http.close()
  return [
    ...createRows('200 files of 100 KiB by 16 clients', costs.alone, costs.nginx),
    ...createRows('the same files in one link', costs.link, costs.nginx),
  ]
}

/** A way of uploading the files, and the processes that serve it. */
interface Way {
  getPids: () => number[]
  upload: () => Promise<unknown>
}

/** Measures ways of uploading the files in alternating rounds. */
export async function measureWays<Name extends string>(
  nginx: Nginx,
  ways: Record<Name, Way>,
): Promise<Record<Name, UploadCost>> {
  const entries = Object.entries<Way>(ways).map(([name, way]) => {
    const cost: UploadCost = { rate: [], cpu: [], clientBusy: [] }
    return { name, cost, ...way }
  })
  // Warm-up rounds open connections and let Node compile hot code over several thousand files.
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const { cost, getPids, upload } of entries) {
      if (round < 0) await upload()
      else await measure(cost, getPids, upload)
    }
    await rm(join(nginx.root, 'files'), { recursive: true })
    await mkdir(join(nginx.root, 'files'))
  }
  return Object.fromEntries(entries.map(({ name, cost }) => [name, cost])) as Record<
    Name,
    UploadCost
  >
}

async function measure(
  cost: UploadCost,
  getPids: Way['getPids'],
  upload: Way['upload'],
): Promise<void> {
  const before = { cpu: readCpuSeconds(getPids()), own: process.cpuUsage(), at: performance.now() }
  await upload()
  const seconds = (performance.now() - before.at) / 1000
  const { user, system } = process.cpuUsage(before.own)
  cost.rate.push(fileCount / seconds)
  cost.cpu.push(((readCpuSeconds(getPids()) - before.cpu) / fileCount) * 1000)
  cost.clientBusy.push(((user + system) / 1e6 / seconds) * 100)
}

export function createRows(label: string, mayfly: UploadCost, nginx: UploadCost): Row[] {
  return [
    compare(label, 'files/s', mayfly.rate, nginx.rate),
    compare(`${label}: server and Postgres`, 'CPU ms a file', mayfly.cpu, nginx.cpu),
    createRow(`${label}: client busy (of one core)`, '%', {
      mayfly: mayfly.clientBusy,
      nginx: nginx.clientBusy,
    }),
  ]
}

/** Processes items in parallel, with one worker per connection. */
export async function inParallel<Item>(
  items: readonly Item[],
  upload: (item: Item) => Promise<unknown>,
): Promise<void> {
  const remainingItems = items.values()
  const runClient = async () => {
    for (const item of remainingItems) await upload(item)
  }
  await Promise.all(Array.from({ length: clientCount }, runClient))
}
