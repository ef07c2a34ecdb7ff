import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import { type Mayfly, signIn, uploadFile } from './mayfly.ts'
import type { Nginx } from './nginx.ts'
import { cpuSeconds } from './process-cost.ts'
import { compare, type Row, row } from './report.ts'

const files = 200
const clients = 16
const fileBytes = 100 * 1024
const rounds = 7
const warmUpRounds = 10

/**
 * Measures how many files of 100 KiB 16 clients upload per second. For each file Mayfly takes three
 * requests (start, PUT, confirm), and nginx takes one PUT.
 */
export async function measureSmallFiles({
  mayfly,
  nginx,
}: {
  mayfly: Mayfly
  nginx: Nginx
}): Promise<Row[]> {
  const http = makeHttpClient(clients)
  const cookie = await signIn(mayfly, http)
  const bytes = randomBytes(fileBytes)
  const rate = { ours: [] as number[], nginx: [] as number[] }
  const cpu = { ours: [] as number[], nginx: [] as number[] }
  const busy = { ours: [] as number[], nginx: [] as number[] }

  const measure = async (
    whose: 'ours' | 'nginx',
    pids: () => number[],
    upload: (name: string) => Promise<unknown>,
  ) => {
    const before = { cpu: cpuSeconds(pids()), own: process.cpuUsage(), at: performance.now() }
    await byClients((index) => upload(`file-${index}`))
    const seconds = (performance.now() - before.at) / 1000
    const { user, system } = process.cpuUsage(before.own)
    rate[whose].push(files / seconds)
    cpu[whose].push(((cpuSeconds(pids()) - before.cpu) / files) * 1000)
    busy[whose].push(((user + system) / 1e6 / seconds) * 100)
  }

  const ourPids = () => [mayfly.pid, ...mayfly.postgresPids()]
  const upOurs = (name: string) => uploadFile(mayfly, http, cookie, { name, bytes })
  const upNginx = (name: string) => putToNginx(nginx, http, name, bytes)

  // The first rounds are not measured. The clients open their connections in them, and Node
  // compiles the server's most used code, which takes some thousand files.
  for (let round = 0; round < warmUpRounds; round += 1) {
    await byClients((index) => upOurs(`warm-${index}`))
    await byClients((index) => upNginx(`warm-${index}`))
  }
  for (let round = 0; round < rounds; round += 1) {
    await measure('ours', ourPids, upOurs)
    await measure('nginx', () => nginx.pids, upNginx)
    await rm(join(nginx.root, 'files'), { recursive: true })
    await mkdir(join(nginx.root, 'files'))
  }
  http.close()
  return [
    compare('200 files of 100 KiB by 16 clients', 'files/s', rate.ours, rate.nginx),
    compare('the same, server and Postgres', 'CPU ms a file', cpu.ours, cpu.nginx),
    row('the same: client busy (of one core)', '%', busy),
  ]
}

function putToNginx(nginx: Nginx, http: HttpClient, name: string, body: Buffer) {
  return http.expectOk(`${nginx.url}/files/${name}`, { method: 'PUT', body })
}

async function byClients(upload: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < files) {
      next += 1
      await upload(next)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}
