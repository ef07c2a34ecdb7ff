import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type CurlRequest, curl, curlInParallel, expectSame, type Transfer } from './curl.ts'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, uploadCalls } from './mayfly.ts'
import type { Nginx } from './nginx.ts'
import { readCpuSeconds, readPeakBytes, resetPeak } from './process-cost.ts'
import { compare, createRow, type Row } from './report.ts'
import { writeSource } from './sources.ts'

export const fileBytes = 1024 ** 3
const quarterBytes = fileBytes / 4
const connectionCount = 4
export const rounds = 5
/** Maximum number of part URLs that one request returns. */
const partsPerSignCall = 100

/** Measurements from a single 1 GiB transfer. */
export interface TransferSample {
  megabytesPerSecond: number
  serverCpu: number
  peakMegabytes: number
  /** CPU use of curl, in cores. If it is near 1 per curl process, the client was the bottleneck. */
  clientBusy: number
}

/**
 * Measures how fast curl transfers 1 GiB with Mayfly and with nginx, in one stream and in four
 * (parts of one file for Mayfly, four files for nginx). Mayfly's time includes its API calls. On
 * disk, nginx's time includes an fsync of the file and its directory, because Mayfly responds only
 * once the file is durable. Verifies the bytes transferred in the first round.
 */
export async function measureTransfers(
  { mayfly, nginx }: { mayfly: Mayfly; nginx: Nginx },
  cores: Cores,
  scratch: string,
  storageMedium: 'tmpfs' | 'disk',
): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const calls = uploadCalls(mayfly, http, cookie)
  const source = await writeSource(scratch, fileBytes)
  const quarters = await source.split(quarterBytes)
  const configFile = join(scratch, 'curl')
  let parts: string[] = []

  const mayflyUploads = {
    pids: mayfly.pids(),
    single: () =>
      timeTransfer(async () => {
        const startedUpload = await calls.start('one-gibibyte.bin', fileBytes)
        const request = { url: startedUpload.uploadUrl, source: source.path }
        const transfer = await curl(cores, [request], fileBytes, configFile)
        return { sent: transfer, file: await calls.confirm(startedUpload) }
      }),
    four: () =>
      timeTransfer(async () => {
        const startedUpload = await calls.start('one-gibibyte.bin', fileBytes)
        const { size, count } = startedUpload.parts ?? { size: 0, count: 0 }
        const numbers = Array.from({ length: count }, (_part, index) => index + 1)
        const urls: Record<string, string> = {}
        for (let offset = 0; offset < count; offset += partsPerSignCall) {
          Object.assign(
            urls,
            await calls.sign(startedUpload, numbers.slice(offset, offset + partsPerSignCall)),
          )
        }
        if (parts.length === 0) throw new Error(`no pieces of ${size} bytes`)
        const createRequests = (connection: number): CurlRequest[] =>
          numbers
            .filter((number) => number % connectionCount === connection)
            .map((number) => ({ url: urls[number] ?? '', source: parts[number - 1] ?? '' }))
        const requests = Array.from({ length: connectionCount }, (_connection, index) =>
          createRequests(index),
        )
        const transfer = await curlInParallel(cores, requests, quarterBytes, configFile)
        return { sent: transfer, file: await calls.confirm(startedUpload) }
      }),
    link: (file: { shortCode: string }) => `${mayfly.url}/api/download/${file.shortCode}`,
    /**
     * Waits until the server has computed the file's SHA-256. Returns how many seconds that took.
     */
    untilDigest: async ({ shortCode }: { shortCode: string }) => {
      const startedAt = performance.now()
      for (;;) {
        const { body } = await http.expectOk(`${mayfly.url}/api/links/${shortCode}`)
        if (JSON.parse(body.toString()).sha256 !== null)
          return (performance.now() - startedAt) / 1000
        await wait(100)
      }
    },
    remove: ({ id }: { id: string }) =>
      http.expectOk(`${mayfly.url}/api/files/${id}`, { method: 'DELETE', headers: { cookie } }),
  }
  const filesFolder = join(nginx.root, 'files')
  const syncFiles = async (names: string[]) => {
    if (storageMedium === 'disk')
      await Promise.all(names.map((name) => syncFile(join(filesFolder, name))))
  }
  const nginxUploads = {
    pids: nginx.pids,
    single: () =>
      timeTransfer(async () => {
        const request = { url: `${nginx.url}/files/whole`, source: source.path }
        const transfer = await curl(cores, [request], fileBytes, configFile)
        await syncFiles(['whole'])
        return { sent: transfer }
      }),
    four: () =>
      timeTransfer(async () => {
        const requests = quarters.map((piece, index) => [
          { url: `${nginx.url}/files/quarter-${index}`, source: piece },
        ])
        const transfer = await curlInParallel(cores, requests, quarterBytes, configFile)
        await syncFiles(requests.map((_piece, index) => `quarter-${index}`))
        return { sent: transfer }
      }),
  }
  const download = (url: string) => () =>
    timeTransfer(async () => ({ sent: await curl(cores, [{ url }], fileBytes, configFile) }))
  const downloadInFour = (url: string) => () =>
    timeTransfer(async () => {
      const requests = quarters.map((_piece, index) => [
        { url, range: `${index * quarterBytes}-${(index + 1) * quarterBytes - 1}` },
      ])
      return { sent: await curlInParallel(cores, requests, quarterBytes, configFile) }
    })

  const { parts: plan } = await calls.start('plan.bin', fileBytes)
  parts = await source.split(plan?.size ?? fileBytes)
  const samples = {
    up: createEmptyPair(),
    upInFour: createEmptyPair(),
    down: createEmptyPair(),
    downInFour: createEmptyPair(),
  }
  const digests = { seconds: [] as number[], cpu: [] as number[] }
  // The first round is a warm-up: both servers compile code, and the machine allocates memory,
  // which for a gibibyte can take as long as the transfer.
  for (let round = 0; round <= rounds; round += 1) {
    const addSample = (
      targetSamples: TransferSample[],
      { figures }: { figures: TransferSample },
    ) => {
      if (round > 0) targetSamples.push(figures)
    }
    const singleUpload = await measureTransfer(mayflyUploads.pids, mayflyUploads.single)
    addSample(samples.up.mayfly, singleUpload)
    const cpuBefore = readCpuSeconds(mayflyUploads.pids)
    const seconds = await mayflyUploads.untilDigest(singleUpload.result.file)
    if (round > 0) {
      digests.seconds.push(seconds)
      digests.cpu.push(readCpuSeconds(mayflyUploads.pids) - cpuBefore)
    }
    const downloadUrl = mayflyUploads.link(singleUpload.result.file)
    if (round === 0) await expectSame(source.path, downloadUrl)
    addSample(samples.down.mayfly, await measureTransfer(mayflyUploads.pids, download(downloadUrl)))
    addSample(
      samples.downInFour.mayfly,
      await measureTransfer(mayflyUploads.pids, downloadInFour(downloadUrl)),
    )
    await mayflyUploads.remove(singleUpload.result.file)

    addSample(samples.up.nginx, await measureTransfer(nginxUploads.pids, nginxUploads.single))
    const targetUrl = `${nginx.url}/files/whole`
    if (round === 0) await expectSame(source.path, targetUrl)
    addSample(samples.down.nginx, await measureTransfer(nginxUploads.pids, download(targetUrl)))
    addSample(
      samples.downInFour.nginx,
      await measureTransfer(nginxUploads.pids, downloadInFour(targetUrl)),
    )
    await rm(join(filesFolder, 'whole'))

    const fourPartUpload = await measureTransfer(mayflyUploads.pids, mayflyUploads.four)
    addSample(samples.upInFour.mayfly, fourPartUpload)
    await mayflyUploads.untilDigest(fourPartUpload.result.file)
    if (round === 0) await expectSame(source.path, mayflyUploads.link(fourPartUpload.result.file))
    await mayflyUploads.remove(fourPartUpload.result.file)
    addSample(samples.upInFour.nginx, await measureTransfer(nginxUploads.pids, nginxUploads.four))
    for (const index of quarters.keys()) await rm(join(filesFolder, `quarter-${index}`))
  }
  for (const path of [source.path, ...quarters, ...parts]) await rm(path)
  http.close()
  return [
    ...createRows(`upload of 1 GiB, ${storageMedium}`, samples.up),
    createRow('its SHA-256, after the response', 's', { mayfly: digests.seconds }),
    createRow('its SHA-256, after the response', 'CPU s', { mayfly: digests.cpu }),
    ...createRows(`the same, four parts at once, ${storageMedium}`, samples.upInFour),
    ...createRows(`download of 1 GiB, ${storageMedium}`, samples.down),
    ...createRows(`the same, four ranges at once, ${storageMedium}`, samples.downInFour),
  ]
}

interface SamplePair {
  mayfly: TransferSample[]
  nginx: TransferSample[]
}

export function createEmptyPair(): SamplePair {
  return { mayfly: [], nginx: [] }
}

export function createRows(label: string, { mayfly, nginx }: SamplePair): Row[] {
  const toRow = (unit: string, getValue: (sample: TransferSample) => number) =>
    compare(label, unit, mayfly.map(getValue), nginx.map(getValue))
  return [
    toRow('MB/s', (sample) => sample.megabytesPerSecond),
    toRow('CPU s', (sample) => sample.serverCpu),
    toRow('peak MiB', (sample) => sample.peakMegabytes),
    createRow(`${label}: curl busy`, '%', {
      mayfly: mayfly.map(({ clientBusy }) => clientBusy * 100),
      nginx: nginx.map(({ clientBusy }) => clientBusy * 100),
    }),
  ]
}

interface TransferResult {
  sent: Transfer
}

/** Times a transfer with its API calls, excluding curl's startup and exit. */
export async function timeTransfer<Result extends TransferResult>(transfer: () => Promise<Result>) {
  const startedAt = performance.now()
  const result = await transfer()
  const seconds = (performance.now() - startedAt) / 1000 - result.sent.overheadSeconds
  return { result, seconds }
}

export async function measureTransfer<Result extends TransferResult>(
  pids: number[],
  transfer: () => Promise<{ result: Result; seconds: number }>,
): Promise<{ figures: TransferSample; result: Result }> {
  resetPeak(pids)
  const cpuBefore = readCpuSeconds(pids)
  const { result, seconds } = await transfer()
  const figures = {
    megabytesPerSecond: fileBytes / 1e6 / seconds,
    serverCpu: readCpuSeconds(pids) - cpuBefore,
    peakMegabytes: readPeakBytes(pids) / 1024 ** 2,
    clientBusy: result.sent.clientCpu / result.sent.seconds,
  }
  return { figures, result }
}

export async function syncFile(path: string): Promise<void> {
  for (const syncedPath of [path, dirname(path)]) {
    const file = await open(syncedPath)
    await file.sync()
    await file.close()
  }
}
