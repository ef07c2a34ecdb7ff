import { answersJson, type Endpoint } from '../../../shared/contract/endpoint.ts'
import { fieldNote } from '../../../shared/contract/field-notes.ts'
import { type EndpointName, endpoints } from '../../../shared/contract/index.ts'
import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { sampleOf } from './sample.ts'

/** The examples of one call. */
export interface CodeSamples {
  curl: string
  fetch: string
  /** An example of the answer as JSON. null if the call does not answer with JSON. */
  answer: string | null
}

/**
 * The file in which curl keeps the session cookie. The guide on the same page creates it when
 * signing in.
 */
const cookieFile = 'cookies.txt'

/**
 * Makes the examples of a call. Returns null for a call that is meant only for browsers, because it
 * answers with a page or a redirect.
 */
export function codeSamples(name: EndpointName): CodeSamples | null {
  const row: Endpoint = endpoints[name]
  if (!answersJson(row.response) && ['page', 'redirect'].includes(row.response.raw)) return null
  const path = samplePath(row)
  const body = row.body && sampleOf(jsonSchemaOf(row.body, 'request'), 'request')
  return {
    curl: curlSample(name, row, path, body),
    fetch: fetchSample(row, path, body),
    answer: answersJson(row.response)
      ? JSON.stringify(sampleOf(jsonSchemaOf(row.response, 'answer'), 'answer'), null, 2)
      : null,
  }
}

/** Returns an example path with its parameters and the required parameters of its query. */
function samplePath(row: Endpoint): string {
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(fieldNote('request', name)?.example ?? name)),
  )
  const { required = [] } = row.query ? jsonSchemaOf(row.query, 'request') : {}
  const wanted = required.flatMap((name) => {
    const value = fieldNote('request', name)?.example
    return value === undefined ? [] : [[name, String(value)]]
  })
  return wanted.length === 0 ? path : `${path}?${new URLSearchParams(wanted)}`
}

function curlSample(name: EndpointName, row: Endpoint, path: string, body: unknown): string {
  const isLogin = name === 'login'
  const session = isLogin
    ? ` -c ${cookieFile}`
    : row.access === 'visitor'
      ? ''
      : ` -b ${cookieFile}`
  // With a body, curl chooses POST without `-X`.
  const method = row.method === 'GET' || (row.method === 'POST' && body) ? '' : ` -X ${row.method}`
  const download = !answersJson(row.response) && row.response.raw === 'bytes' ? ' -OJ' : ''
  const lines = [
    `curl${download}${session}${method} ${shellText(publicPlaceholder('origin') + path)}`,
  ]
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${shellText(JSON.stringify(body))}`)
  }
  if (row.bytes) lines.push(`-H 'Content-Type: ${row.bytes.types[0]}'`, '--data-binary @logo.png')
  return lines.join(' \\\n  ')
}

/** Quotes a text so that a shell reads it as one word. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function fetchSample(row: Endpoint, path: string, body: unknown): string {
  const options: string[] = []
  if (row.method !== 'GET') options.push(`method: '${row.method}',`)
  if (body !== undefined) {
    const json = JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')
    options.push(
      `headers: { 'content-type': 'application/json' },`,
      `body: JSON.stringify(${json}),`,
    )
  }
  if (row.bytes) options.push('body: file, // a File or a Blob')
  const given = options.length === 0 ? '' : `, {\n  ${options.join('\n  ')}\n}`
  const read = answersJson(row.response) ? 'json' : 'blob'
  return `const answer = await fetch('${path}'${given})\nconst result = await answer.${read}()`
}
