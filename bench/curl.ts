import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type Cores, environment, pinToCores } from './machine.ts'
import { contentType } from './mayfly.ts'

const run = promisify(execFile)
const timeoutSeconds = 120

/** A curl request that uploads `source`, or downloads if `source` is missing. */
export interface CurlRequest {
  url: string
  source?: string
  /** A byte range, such as 0-99. */
  range?: string
  /** A header of an upload, such as `Accept: text/plain`. */
  header?: string
}

export interface Transfer {
  /** Total duration of the requests, as measured by curl. */
  seconds: number
  /** How long curl took to start and exit, not included in `seconds`. */
  overheadSeconds: number
  clientCpu: number
}

/** Runs the requests over one connection. Overwrites `configFile` with curl's options. */
export async function curl(
  cores: Cores,
  requests: CurlRequest[],
  expectedBytes: number,
  configFile: string,
): Promise<Transfer> {
  await writeFile(configFile, requests.map(formatConfigEntry).join('next\n'))
  const command = ['curl', '--max-time', String(timeoutSeconds), '--config', configFile]
  // Bash's `time` is the only way to get curl's CPU time.
  const bashTime = ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash']
  const startedAt = performance.now()
  const { stdout, stderr } = await run(
    'bash',
    [...bashTime, ...pinToCores(cores.client, command)],
    {
      env: environment,
    },
  )
  const wallSeconds = (performance.now() - startedAt) / 1000
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
  const transferredBytes = lines.reduce((sum, [bytes = 0]) => sum + bytes, 0)
  const seconds = lines.reduce((sum, [, transferSeconds = 0]) => sum + transferSeconds, 0)
  if (transferredBytes !== expectedBytes)
    throw new Error(`curl moved ${transferredBytes} bytes, not ${expectedBytes}`)
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return { seconds, overheadSeconds: wallSeconds - seconds, clientCpu: user + system }
}

/** Runs several curl processes in parallel and measures until the slowest has finished. */
export async function curlInParallel(
  cores: Cores,
  requestsPerProcess: CurlRequest[][],
  bytesPerProcess: number,
  configFile: string,
): Promise<Transfer> {
  const startedAt = performance.now()
  const transfers = await Promise.all(
    requestsPerProcess.map((requests, index) =>
      curl(cores, requests, bytesPerProcess, `${configFile}-${index}`),
    ),
  )
  const wallSeconds = (performance.now() - startedAt) / 1000
  const seconds = Math.max(...transfers.map((transfer) => transfer.seconds))
  return {
    seconds,
    overheadSeconds: wallSeconds - seconds,
    clientCpu: transfers.reduce((sum, { clientCpu }) => sum + clientCpu, 0),
  }
}

function formatConfigEntry({ url, source, range, header }: CurlRequest): string {
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
          // Otherwise curl would wait for 100 Continue before it sends the body.
          'header = "Expect:"',
          ...(header === undefined ? [] : [`header = "${header}"`]),
          'write-out = "%{size_upload} %{time_total}\\n"',
        ]),
    '',
  ].join('\n')
}

/**
 * Downloads `url` and compares the bytes with those in the file `source`.
 * @throws if they differ.
 */
export async function expectSame(source: string, url: string): Promise<void> {
  await run('sh', ['-c', 'curl --silent --fail "$1" | cmp - "$2"', 'sh', url, source], {
    env: environment,
  })
}
