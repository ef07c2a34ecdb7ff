import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Cores, environment, pinToCores } from './machine.ts'
import { readCpuSeconds } from './process-cost.ts'

const defaultConnectionCount = 32
const seconds = 4
const scriptPath = join(import.meta.dirname, 'open-links.lua')

export interface Load {
  url: string
  headers?: Record<string, string>
  /**
   * A file with one path per line. If given, wrk requests these paths one after another instead of
   * `url`.
   */
  pathsFile?: string
  /** Number of parallel requests. Defaults to 32. */
  connections?: number
  /** Returns the pids of the processes whose CPU time to measure. */
  pids: () => number[]
}

export interface LoadFigures {
  requestsPerSecond: number
  p50Millis: number
  p99Millis: number
  /** Mean CPU time of the server per request, in microseconds. */
  cpuMicros: number
}

/**
 * Runs wrk and returns its figures.
 * @throws if a request fails.
 */
export async function runWrk(cores: Cores, load: Load): Promise<LoadFigures> {
  const headers = Object.entries(load.headers ?? {}).flatMap(([name, value]) => [
    '--header',
    `${name}: ${value}`,
  ])
  const connectionCount = load.connections ?? defaultConnectionCount
  const paths = load.pathsFile === undefined ? [] : ['--script', scriptPath]
  const command = [
    ...['wrk', '--threads', String(Math.min(2, connectionCount))],
    ...['--connections', String(connectionCount)],
    ...['--duration', `${seconds}s`, '--latency', '--timeout', '10s', ...headers, ...paths],
    ...[load.url, ...(load.pathsFile === undefined ? [] : ['--', load.pathsFile])],
  ]
  const [program = '', ...args] = pinToCores(cores.client, command)
  const cpuBefore = readCpuSeconds(load.pids())
  const { stdout } = await promisify(execFile)(program, args, { env: environment })
  const usedCpuSeconds = readCpuSeconds(load.pids()) - cpuBefore
  const errorLine = /Non-2xx.*|Socket errors.*/.exec(stdout)
  if (errorLine) throw new Error(`${load.url}: ${errorLine[0]}`)
  return {
    requestsPerSecond: Number(findValue(stdout, /Requests\/sec:\s+([\d.]+)/)),
    p50Millis: toMilliseconds(findValue(stdout, /^\s+50%\s+(\S+)/m)),
    p99Millis: toMilliseconds(findValue(stdout, /^\s+99%\s+(\S+)/m)),
    cpuMicros: (usedCpuSeconds * 1e6) / Number(findValue(stdout, /(\d+) requests in/)),
  }
}

function findValue(text: string, pattern: RegExp): string {
  const value = pattern.exec(text)?.[1]
  if (value === undefined) throw new Error(`wrk did not say ${pattern}:\n${text}`)
  return value
}

function toMilliseconds(text: string): number {
  const units: Record<string, number> = { us: 0.001, ms: 1, s: 1000 }
  return Number.parseFloat(text) * (units[text.replace(/[\d.]+/, '')] ?? Number.NaN)
}
