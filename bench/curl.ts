import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type Cores, environment, onCores } from './machine.ts'
import { contentType } from './mayfly.ts'

const run = promisify(execFile)
const maxSeconds = 120

/** One request of curl. It uploads the file `source`. If `source` is left out, it downloads. */
export interface CurlRequest {
  url: string
  source?: string
  /** The range of bytes to download, such as 0-99. */
  range?: string
}

export interface Transfer {
  /** The time of the requests alone, as curl measured it. */
  seconds: number
  /** The time that curl took to start and to end. The times of the requests do not include it. */
  aroundSeconds: number
  /** The processor time of curl itself. */
  clientCpu: number
}

/**
 * Runs curl for several requests, one after another on one connection. Writes the requests to
 * `configFile`, which curl reads.
 */
export async function curl(
  cores: Cores,
  requests: CurlRequest[],
  expectedBytes: number,
  configFile: string,
): Promise<Transfer> {
  await writeFile(configFile, requests.map(asConfig).join('next\n'))
  const command = ['curl', '--max-time', String(maxSeconds), '--config', configFile]
  // Bash's own `time` measures the processor time of curl. Nothing else can tell it after curl has
  // ended.
  const timed = ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash']
  const began = performance.now()
  const { stdout, stderr } = await run('bash', [...timed, ...onCores(cores.client, command)], {
    env: environment,
  })
  const wallSeconds = (performance.now() - began) / 1000
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
  const moved = lines.reduce((sum, [bytes = 0]) => sum + bytes, 0)
  const seconds = lines.reduce((sum, [, time = 0]) => sum + time, 0)
  if (moved !== expectedBytes) throw new Error(`curl moved ${moved} bytes, not ${expectedBytes}`)
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return { seconds, aroundSeconds: wallSeconds - seconds, clientCpu: user + system }
}

/** Runs several curls in parallel. The time is that of the slowest. */
export async function curlsAtOnce(
  cores: Cores,
  each: CurlRequest[][],
  bytesOfEach: number,
  configFile: string,
): Promise<Transfer> {
  const began = performance.now()
  const transfers = await Promise.all(
    each.map((requests, index) => curl(cores, requests, bytesOfEach, `${configFile}-${index}`)),
  )
  const wallSeconds = (performance.now() - began) / 1000
  const seconds = Math.max(...transfers.map((one) => one.seconds))
  return {
    seconds,
    aroundSeconds: wallSeconds - seconds,
    clientCpu: transfers.reduce((sum, { clientCpu }) => sum + clientCpu, 0),
  }
}

function asConfig({ url, source, range }: CurlRequest): string {
  return [
    'silent',
    'show-error',
    'fail',
    `url = "${url}"`,
    'output = /dev/null',
    ...(range === undefined ? [] : [`range = ${range}`]),
    ...(source === undefined
      ? ['write-out = "%{size_download} %{time_total}\\n"']
      : [
          `upload-file = "${source}"`,
          `header = "Content-Type: ${contentType}"`,
          // With this header, curl would first ask whether it may send, and wait for an answer.
          'header = "Expect:"',
          'write-out = "%{size_upload} %{time_total}\\n"',
        ]),
    '',
  ].join('\n')
}

/**
 * Compares what `url` answers with the bytes of `source`.
 * @throws when they differ.
 */
export async function expectSame(source: string, url: string): Promise<void> {
  await run('sh', ['-c', 'curl --silent --fail "$1" | cmp - "$2"', 'sh', url, source], {
    env: environment,
  })
}
