import { randomBytes } from 'node:crypto'
import { makeHttpClient } from './http-client.ts'
import { type Mayfly, signIn, uploadFile } from './mayfly.ts'
import { type Row, row } from './report.ts'

const asBrowser = { accept: 'text/html', 'accept-encoding': 'gzip, br' }

/** Measures how many bytes a browser receives for a download page, for each kind of file. */
export async function measurePageWeight(mayfly: Mayfly): Promise<Row[]> {
  const http = makeHttpClient(1)
  const cookie = await signIn(mayfly, http)
  const file = { name: 'report.pdf', bytes: randomBytes(100) }
  const code = await uploadFile(mayfly, http, cookie, file)
  const page = await http.expectOk(`${mayfly.url}/s/${code}`, { headers: asBrowser })
  const sizes = new Map([['HTML', page.body.length]])
  const assets = new Set(page.body.toString().match(/\/assets\/[\w.-]+/g))
  for (const path of assets) {
    const { body } = await http.expectOk(`${mayfly.url}${path}`, { headers: asBrowser })
    const kind = path.slice(path.lastIndexOf('.') + 1)
    sizes.set(kind, (sizes.get(kind) ?? 0) + body.length)
  }
  http.close()
  return [...sizes].map(([kind, bytes]) =>
    row(`download page as sent: ${kind}`, 'bytes', { ours: [bytes] }),
  )
}
