import { execFile } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeHttpClient } from './http-client.ts'
import { type Cores, environment, onCores } from './machine.ts'
import { contentType, type Mayfly, signIn, uploadCalls } from './mayfly.ts'
import type { Nginx } from './nginx.ts'
import { cpuSeconds, peakBytes, resetPeak } from './process-cost.ts'
import { compare, type Row, row } from './report.ts'

const run = promisify(execFile)

const fileBytes = 1024 ** 3
const blockBytes = 64 * 1024 ** 2
const rounds = 5
const maxSeconds = 120

/** One transfer of 1 GiB. */
interface Sample {
  megabytesPerSecond: number
  serverCpu: number
  peakMegabytes: number
  /** How busy curl was: near 1, the figure is the client's and not the server's. */
  clientShare: number
}

/**
 * 1 GiB up and down by curl, ours and nginx in turn. Ours is timed with the calls before and after
 * its PUT; nginx has none. Every file that was stored in the first round is compared byte by byte.
 */
export const measureTransfers = async (
  servers: { mayfly: Mayfly; nginx: Nginx },
  cores: Cores,
  scratch: string,
): Promise<Row[]> => {
  const { mayfly, nginx } = servers
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const calls = uploadCalls(mayfly, http, cookie)
  const source = join(scratch, 'one-gibibyte')
  await writeSource(source)
  const samples = { up: pair(), down: pair() }
  const oursCost = [mayfly.pid]

  for (let round = 0; round < rounds; round += 1) {
    let file = { id: '', shortCode: '' }
    const up = await sample(oursCost, async () => {
      const began = performance.now()
      const started = await calls.start('one-gibibyte.bin', fileBytes)
      const asked = performance.now()
      const sent = await curl(cores, upload(source, started.uploadUrl))
      const confirming = performance.now()
      file = await calls.confirm(started)
      const around = asked - began + performance.now() - confirming
      return { ...sent, seconds: sent.seconds + around / 1000 }
    })
    samples.up.ours.push(up)
    const link = `${mayfly.url}/api/download/${file.shortCode}`
    if (round === 0) await expectSame(source, link)
    samples.down.ours.push(await sample(oursCost, () => curl(cores, download(link))))
    await http.expectOk(`${mayfly.url}/api/files/${file.id}`, {
      method: 'DELETE',
      headers: { cookie },
    })

    const target = `${nginx.url}/files/one-gibibyte`
    samples.up.nginx.push(await sample(nginx.pids, () => curl(cores, upload(source, target))))
    if (round === 0) await expectSame(source, target)
    samples.down.nginx.push(await sample(nginx.pids, () => curl(cores, download(target))))
    await rm(join(nginx.root, 'files/one-gibibyte'))
  }
  await rm(source)
  http.close()
  return [...rows('upload of 1 GiB', samples.up), ...rows('download of 1 GiB', samples.down)]
}

interface Pair {
  ours: Sample[]
  nginx: Sample[]
}

const pair = (): Pair => ({ ours: [], nginx: [] })

const rows = (what: string, { ours, nginx }: Pair): Row[] => {
  const both = (unit: string, value: (sample: Sample) => number) =>
    compare(what, unit, ours.map(value), nginx.map(value))
  return [
    both('MB/s', (sample) => sample.megabytesPerSecond),
    both('CPU s', (sample) => sample.serverCpu),
    both('peak MiB', (sample) => sample.peakMegabytes),
    row(`${what}: curl busy`, '%', {
      ours: ours.map(({ clientShare }) => clientShare * 100),
      nginx: nginx.map(({ clientShare }) => clientShare * 100),
    }),
  ]
}

interface Transfer {
  seconds: number
  clientCpu: number
}

const sample = async (pids: number[], transfer: () => Promise<Transfer>): Promise<Sample> => {
  resetPeak(pids)
  const before = cpuSeconds(pids)
  const { seconds, clientCpu } = await transfer()
  return {
    megabytesPerSecond: fileBytes / 1e6 / seconds,
    serverCpu: cpuSeconds(pids) - before,
    peakMegabytes: peakBytes(pids) / 1024 ** 2,
    clientShare: clientCpu / seconds,
  }
}

const upload = (source: string, url: string) => [
  ...['--upload-file', source, '--header', `Content-Type: ${contentType}`],
  // Without this curl first asks whether it may send, and waits for the answer.
  ...['--header', 'Expect:', '--write-out', '%{time_total} %{size_upload}', url],
]

const download = (url: string) => ['--write-out', '%{time_total} %{size_download}', url]

/** Runs curl; bash's own `time` tells what it used, which is gone once it has ended. */
const curl = async (cores: Cores, args: string[]): Promise<Transfer> => {
  const command = ['curl', '--silent', '--show-error', '--fail', '--max-time', String(maxSeconds)]
  const timed = ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash']
  const { stdout, stderr } = await run(
    'bash',
    [...timed, ...onCores(cores.client, [...command, '--output', '/dev/null', ...args])],
    { env: environment },
  )
  const [seconds = 0, bytes] = stdout.split(' ').map(Number)
  if (bytes !== fileBytes) throw new Error(`curl moved ${bytes} bytes, not ${fileBytes}`)
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return { seconds, clientCpu: user + system }
}

/** @throws when `url` does not answer the very bytes of `source`. */
const expectSame = async (source: string, url: string): Promise<void> => {
  await run('sh', ['-c', 'curl --silent --fail "$1" | cmp - "$2"', 'sh', url, source], {
    env: environment,
  })
}

/** Random, so that nothing on the way can shorten it. */
const writeSource = async (path: string): Promise<void> => {
  const file = await open(path, 'w')
  const block = randomFillSync(Buffer.allocUnsafe(blockBytes))
  for (let written = 0; written < fileBytes; written += blockBytes) await file.write(block)
  await file.close()
}
