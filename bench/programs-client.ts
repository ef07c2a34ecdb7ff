import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { makeHttpClient } from './http-client.ts'
import { dropInChromium, writeFiles } from './large-drop.ts'
import { type Cores, environment, pinToCores } from './machine.ts'
import { type Mayfly, makeKeyHeader, signIn } from './mayfly.ts'
import { createRow, type Row } from './report.ts'

const client = resolve(import.meta.dirname, '../dist/web/mayfly.mjs')

/**
 * Measures how long the command line client takes to upload 1,000 files as one link, from its start
 * to its end, and how long Chromium takes.
 */
export async function measureClient(mayfly: Mayfly, cores: Cores, scratch: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const kibibytes of [100, 10]) {
    const folder = join(scratch, 'client-files')
    const paths = await writeFiles(folder, kibibytes * 1024)
    const drops = await dropInChromium(mayfly, paths)
    const seconds: number[] = []
    for (const _ of drops) seconds.push(await timePut(mayfly, cores, scratch, folder))
    await rm(folder, { recursive: true })
    const label = `1,000 files of ${kibibytes} KiB by mayfly.mjs`
    const ratios = drops.map((drop, round) => drop.seconds / (seconds[round] ?? 1))
    rows.push(createRow(label, 's', { mayfly: seconds }))
    rows.push(createRow(`${label}: as fast as in Chromium`, 'times', { mayfly: ratios }))
  }
  return rows
}

async function timePut(mayfly: Mayfly, cores: Cores, scratch: string, folder: string) {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const { authorization } = await makeKeyHeader(mayfly, http, cookie)
  http.close()
  const key = authorization.slice('Bearer '.length)
  const settings = { MAYFLY_URL: mayfly.url, MAYFLY_KEY: key, XDG_CONFIG_HOME: scratch }
  const [program = '', ...args] = pinToCores(cores.client, [
    process.execPath,
    client,
    'put',
    folder,
  ])
  const startedAt = performance.now()
  await promisify(execFile)(program, args, { env: { ...environment, ...settings } })
  return (performance.now() - startedAt) / 1000
}
