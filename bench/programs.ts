import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { curl, expectSame } from './curl.ts'
import { makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { contentType, type Mayfly, makeKeyHeader, signIn, uploadFile } from './mayfly.ts'
import type { Nginx } from './nginx.ts'
import { createRow, type Row } from './report.ts'
import {
  clientCount,
  createRows as createFileRows,
  fileBytes,
  fileNames,
  inParallel,
  measureWays,
} from './small-files.ts'
import { writeSource } from './sources.ts'
import {
  createEmptyPair,
  createRows,
  measureTransfer,
  rounds,
  syncFile,
  timeTransfer,
  fileBytes as transferBytes,
} from './transfers.ts'

interface Servers {
  mayfly: Mayfly
  nginx: Nginx
}

/**
 * Measures how fast `curl -T` uploads 1 GiB by `PUT /api/up/{name}`, and to nginx. On disk, its
 * time includes an fsync of the file and its directory, because Mayfly responds once the file is
 * durable.
 */
export async function measureOneCall(
  { mayfly, nginx }: Servers,
  cores: Cores,
  scratch: string,
  storageMedium: 'tmpfs' | 'disk',
): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const { authorization } = await makeKeyHeader(mayfly, http, cookie)
  const source = await writeSource(scratch, transferBytes)
  const samples = createEmptyPair()
  const upload = (pids: number[], url: string, afterwards: () => Promise<void>) =>
    measureTransfer(pids, () =>
      timeTransfer(async () => {
        const request = { url, source: source.path, header: `Authorization: ${authorization}` }
        const sent = await curl(cores, [request], transferBytes, join(scratch, 'curl'))
        await afterwards()
        return { sent }
      }),
    )
  const target = join(nginx.root, 'files/whole')
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    const mayflyUpload = await upload(mayfly.pids(), `${mayfly.url}/api/up/whole`, async () => {})
    const { body } = await http.expectOk(`${mayfly.url}/api/files`, { headers: { cookie } })
    const [{ id, shortCode }] = JSON.parse(body.toString())
    if (round === 0) await expectSame(source.path, `${mayfly.url}/api/download/${shortCode}`)
    const path = `${mayfly.url}/api/files/${id}`
    await http.expectOk(path, { method: 'DELETE', headers: { cookie } })
    const nginxUpload = await upload(nginx.pids, `${nginx.url}/files/whole`, async () => {
      if (storageMedium === 'disk') await syncFile(target)
    })
    await rm(target)
    if (round === 0) continue
    samples.mayfly.push(mayflyUpload.figures)
    samples.nginx.push(nginxUpload.figures)
  }
  await rm(source.path)
  http.close()
  return createRows(`curl -T of 1 GiB, ${storageMedium}`, samples)
}

/**
 * Measures how many 100 KiB files per second 16 clients upload with one PUT each, and with three
 * requests each.
 */
export async function measureOneCallFiles({ mayfly, nginx }: Servers): Promise<Row[]> {
  const http = makeHttpClient(clientCount)
  const cookie = await signIn(mayfly, http)
  const key = await makeKeyHeader(mayfly, http, cookie)
  const bytes = randomBytes(fileBytes)
  const put = (url: string, headers = {}) => {
    const options = { method: 'PUT', headers: { 'content-type': contentType, ...headers } }
    return http.expectOk(url, { ...options, body: bytes })
  }
  const getPids = () => [...mayfly.pids(), ...mayfly.postgresPids()]
  const costs = await measureWays(nginx, {
    oneCall: {
      getPids,
      upload: () => inParallel(fileNames, (name) => put(`${mayfly.url}/api/up/${name}`, key)),
    },
    threeCalls: {
      getPids,
      upload: () =>
        inParallel(fileNames, (name) => uploadFile(mayfly, http, cookie, { name, bytes })),
    },
    nginx: {
      getPids: () => nginx.pids,
      upload: () => inParallel(fileNames, (name) => put(`${nginx.url}/files/${name}`)),
    },
  })
  http.close()
  const label = '200 files of 100 KiB by 16 clients, one PUT each'
  const ratios = costs.oneCall.rate.map((rate, round) => rate / (costs.threeCalls.rate[round] ?? 1))
  return [
    ...createFileRows(label, costs.oneCall, costs.nginx),
    createRow(`${label}: throughput relative to three requests`, 'times', { mayfly: ratios }),
  ]
}
