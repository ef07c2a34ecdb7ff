import { randomBytes } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { publicPages } from '../src/shared/public-pages.ts'
import { type HttpResponse, makeHttpClient } from './http-client.ts'
import { type Mayfly, signIn, uploadFile } from './mayfly.ts'
import { createRow, type Row } from './report.ts'

const browserHeaders = { accept: 'text/html', 'accept-encoding': 'gzip, br' }

/** Measures the compressed size of a download page and each public page, by file type. */
export async function measurePageWeight(mayfly: Mayfly): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const file = { name: 'report.pdf', bytes: randomBytes(100) }
  const code = await uploadFile(mayfly, http, cookie, file)
  const pages: [string, string][] = [
    ['download', `/s/${code}`],
    ...Object.entries(publicPages).map(([name, { path }]): [string, string] => [name, path]),
  ]
  const rows: Row[] = []
  for (const [name, path] of pages) {
    const pageResponse = await http.expectOk(`${mayfly.url}${path}`, { headers: browserHeaders })
    const sizesByKind = new Map([['HTML', pageResponse.body.length]])
    for (const asset of new Set(decodeHtml(pageResponse).match(/\/assets\/[\w.-]+/g))) {
      const { body } = await http.expectOk(`${mayfly.url}${asset}`, { headers: browserHeaders })
      const kind = asset.slice(asset.lastIndexOf('.') + 1)
      sizesByKind.set(kind, (sizesByKind.get(kind) ?? 0) + body.length)
    }
    for (const [kind, bytes] of sizesByKind) {
      rows.push(createRow(`${name} page as sent: ${kind}`, 'bytes', { mayfly: [bytes] }))
    }
  }
  http.close()
  return rows
}

function decodeHtml({ headers, body }: HttpResponse): string {
  const coding = headers['content-encoding']
  if (coding === 'br') return brotliDecompressSync(body).toString()
  return coding === 'gzip' ? gunzipSync(body).toString() : body.toString()
}
