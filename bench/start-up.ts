import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Cores } from './machine.ts'
import { startMayfly } from './mayfly.ts'
import { readCpuSeconds, readProportionalBytes, readResidentBytes } from './process-cost.ts'
import { createRow, type Row } from './report.ts'

const rounds = 5
/** How long Node gets to free the memory used at startup. */
const settleMs = 5_000
const mebibyte = 1024 ** 2

/**
 * Measures the time from process start to the first 200 response from /api/ready: with an existing
 * data directory, and with a new one, which includes initdb and creating the tables and the
 * administrator. Also measures the memory of an idle server.
 */
export async function measureStartUp(cores: Cores, scratch: string): Promise<Row[]> {
  const coldStarts: number[] = []
  const warmStarts: number[] = []
  const cpuSeconds: number[] = []
  const nodeMiB: number[] = []
  const postgresMiB: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = join(scratch, `start-${round}`)
    const coldServer = await startMayfly(dataDir, cores.server)
    coldStarts.push(coldServer.readyMs)
    await coldServer.stop()

    const warmServer = await startMayfly(dataDir, cores.server)
    warmStarts.push(warmServer.readyMs)
    cpuSeconds.push(readCpuSeconds([warmServer.pid, ...warmServer.postgresPids()]))
    await wait(settleMs)
    nodeMiB.push(readResidentBytes([warmServer.pid]) / mebibyte)
    postgresMiB.push(readProportionalBytes(warmServer.postgresPids()) / mebibyte)
    await warmServer.stop()
    await rm(dataDir, { recursive: true })
  }
  return [
    createRow('cold start to /api/ready', 'ms', { mayfly: coldStarts }),
    createRow('warm start to /api/ready', 'ms', { mayfly: warmStarts }),
    createRow('warm start, server and Postgres', 'CPU s', { mayfly: cpuSeconds }),
    createRow('idle memory, server (RSS)', 'MiB', { mayfly: nodeMiB }),
    createRow('idle memory, Postgres (PSS)', 'MiB', { mayfly: postgresMiB }),
  ]
}
