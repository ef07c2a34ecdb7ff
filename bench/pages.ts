import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type HttpClient, makeHttpClient } from './http-client.ts'
import type { Cores } from './machine.ts'
import { type Mayfly, signIn, uploadFile } from './mayfly.ts'
import type { Nginx } from './nginx.ts'
import { compare, type Row } from './report.ts'
import { type Load, type LoadFigures, runWrk } from './wrk.ts'

const rounds = 5
/** Number of links, high enough that simultaneous requests rarely ask for the same one. */
const linkCount = 500
const listedFileCount = 20
const clientCount = 8
const browserHeaders = { accept: 'text/html' }

/**
 * Measures download pages and link lookups per second. For comparison, nginx serves the same bytes
 * from a file.
 */
export async function measurePages(
  { mayfly, nginx }: { mayfly: Mayfly; nginx: Nginx },
  cores: Cores,
  scratch: string,
): Promise<Row[]> {
  const http = makeHttpClient(clientCount)
  const codes = await makeLinks(mayfly, http)
  const cookie = await signInWithFiles(mayfly, http)
  const [code = ''] = codes
  const responses = {
    '/s/': await http.expectOk(`${mayfly.url}/s/${code}`, { headers: browserHeaders }),
    '/api/links/': await http.expectOk(`${mayfly.url}/api/links/${code}`),
  }
  await writeFile(join(nginx.root, 'page.html'), responses['/s/'].body)
  await writeFile(join(nginx.root, 'details.json'), responses['/api/links/'].body)
  http.close()

  const getPids = () => [...mayfly.pids(), ...mayfly.postgresPids()]
  const makeLinkLoad = async (prefix: string, headers: Record<string, string>): Promise<Load> => {
    const pathsFile = join(scratch, `paths${prefix.replaceAll('/', '-')}`)
    await writeFile(pathsFile, codes.map((code) => `${prefix}${code}\n`).join(''))
    return { headers, pathsFile, url: mayfly.url, pids: getPids }
  }
  const loads = {
    page: await makeLinkLoad('/s/', browserHeaders),
    nginxPage: { url: `${nginx.url}/page.html`, pids: () => nginx.pids },
    details: await makeLinkLoad('/api/links/', {}),
    nginxDetails: { url: `${nginx.url}/details.json`, pids: () => nginx.pids },
    list: { url: `${mayfly.url}/api/files`, headers: { cookie }, pids: getPids },
  } satisfies Record<string, Load>

  const names = Object.keys(loads) as (keyof typeof loads)[]
  const figuresByName = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    keyof typeof loads,
    LoadFigures[]
  >
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const figures = await runWrk(cores, loads[name])
      if (round > 0) figuresByName[name].push(figures)
    }
  }
  return [
    ...createRows('download page', figuresByName.page, figuresByName.nginxPage),
    ...createRows('GET /api/links/{code}', figuresByName.details, figuresByName.nginxDetails),
    ...createRows(`GET /api/files (signed in, ${listedFileCount} files)`, figuresByName.list),
  ]
}

function createRows(label: string, mayfly: LoadFigures[], nginx?: LoadFigures[]): Row[] {
  const toRow = (unit: string, getValue: (figures: LoadFigures) => number) =>
    compare(label, unit, mayfly.map(getValue), nginx?.map(getValue))
  return [
    toRow('requests/s', (figures) => figures.requestsPerSecond),
    toRow('p50 ms', (figures) => figures.p50Millis),
    toRow('p99 ms', (figures) => figures.p99Millis),
    toRow('CPU µs a request', (figures) => figures.cpuMicros),
  ]
}

async function makeLinks(mayfly: Mayfly, http: HttpClient): Promise<string[]> {
  const cookie = await signIn(mayfly, http)
  const codes: string[] = []
  const runClient = async () => {
    while (codes.length < linkCount) {
      const name = `report ${codes.length}.pdf`
      codes.push(await uploadFile(mayfly, http, cookie, { name, bytes: randomBytes(100) }))
    }
  }
  await Promise.all(Array.from({ length: clientCount }, runClient))
  return codes
}

async function signInWithFiles(mayfly: Mayfly, http: HttpClient): Promise<string> {
  const cookie = await signIn(mayfly, http)
  for (let index = 0; index < listedFileCount; index += 1) {
    const file = { name: `photo ${index}.jpg`, bytes: randomBytes(100) }
    await uploadFile(mayfly, http, cookie, file)
  }
  return cookie
}
