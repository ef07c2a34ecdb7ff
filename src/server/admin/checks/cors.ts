import { createHash } from 'node:crypto'
import type { S3Settings } from '../../config/s3-settings.ts'
import { requiredCorsRule } from '../../storage/s3/cors-rule.ts'
import { newStorageKey } from '../../storage/storage-key.ts'
import {
  type CheckDeps,
  describeError,
  type Finding,
  failing,
  ok,
  shellQuote,
  stepTimeoutMs,
  warning,
} from './check.ts'

const testBody = 'sent by the check of CORS'
const mimeType = 'text/plain'
const urlLifetimeMs = 60_000

/**
 * Checks whether the bucket accepts uploads from pages at `APP_URL`. Sends a preflight request and
 * then a few bytes, as a browser would, and verifies that a page could read the response. Then
 * removes the bytes. Without a bucket, browsers upload to this server and no CORS rule is needed.
 */
export async function checkCors({
  clock,
  config: { appUrl, s3 },
  stores,
  log,
}: Pick<CheckDeps, 'clock' | 'config' | 'log' | 'stores'>): Promise<Finding[]> {
  const { current: store } = stores
  if (s3 === null || store.name !== 's3') {
    return [ok('Browsers send files to this server itself, so no CORS rule is needed.')]
  }
  const key = newStorageKey()
  const expiresAt = new Date(clock().getTime() + urlLifetimeMs)
  const url = await store.signUpload({ key, size: testBody.length, mimeType, expiresAt })
  try {
    return [await uploadAsBrowser(url, appUrl.origin, s3)]
  } finally {
    await store.remove(key).catch((error: unknown) => {
      // The nightly job that compares storage with the database will remove the bytes. The Storage
      // check shows why removals fail.
      log.warn({ err: error, key }, 'could not remove the object of the CORS check')
    })
  }
}

async function uploadAsBrowser(url: string, origin: string, s3: S3Settings): Promise<Finding> {
  const bucketOrigin = new URL(url).origin
  const signal = AbortSignal.timeout(stepTimeoutMs)
  const send = (method: string, headers: Record<string, string>, requestBody?: string) =>
    fetch(url, {
      method,
      headers: { origin, ...headers },
      body: requestBody,
      redirect: 'manual',
      signal,
    })
  try {
    const preflightResponse = await send('OPTIONS', {
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'content-md5,content-type',
    })
    await preflightResponse.body?.cancel()
    const problem = findPreflightProblem(preflightResponse, origin)
    if (problem !== null) return corsFinding(problem, origin, s3)

    const md5 = createHash('md5').update(testBody).digest('base64')
    const response = await send('PUT', { 'content-type': mimeType, 'content-md5': md5 }, testBody)
    const text = await response.text()
    if (!response.ok) return uploadFinding(response.status, text, bucketOrigin)
    if (!allowsOrigin(response, origin))
      return corsFinding('the answer to the upload names no origin', origin, s3)
    const exposedHeaders = parseHeaderList(response, 'access-control-expose-headers')
    if (!exposedHeaders.some((name) => matchesName(name, 'etag'))) {
      return corsFinding('pages cannot read the header ETag', origin, s3)
    }
    return ok(`Pages of ${origin} can upload to ${bucketOrigin}.`)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return warning(
      `This server could not reach ${bucketOrigin}, where browsers send files (${describeError(cause)}). Browsers may still reach it.`,
      `Upload a file in a browser. If that fails too, fix ${s3.publicEndpoint ? 'S3_PUBLIC_ENDPOINT' : 'S3_ENDPOINT'}: it must be the address at which browsers reach the storage.`,
    )
  }
}

/** Returns why the preflight response forbids the upload, or null if it allows it. */
function findPreflightProblem(response: Response, origin: string): string | null {
  const problems = [
    ...(response.ok ? [] : [`was ${response.status}`]),
    ...(allowsOrigin(response, origin) ? [] : [`does not name ${origin}`]),
  ]
  if (problems.length > 0) return `the answer to the preflight request ${problems.join(' and ')}`
  if (
    !parseHeaderList(response, 'access-control-allow-methods').some((name) =>
      matchesName(name, 'put'),
    )
  ) {
    return 'the method PUT is not allowed'
  }
  const allowedHeaders = parseHeaderList(response, 'access-control-allow-headers')
  const missingHeaders = ['content-type', 'content-md5'].filter(
    (header) => !allowedHeaders.some((name) => matchesName(name, header)),
  )
  return missingHeaders.length === 0
    ? null
    : `the header ${missingHeaders.join(' and ')} is not allowed`
}

function allowsOrigin(response: Response, origin: string): boolean {
  const allowedOrigin = response.headers.get('access-control-allow-origin')
  return allowedOrigin === '*' || allowedOrigin === origin
}

function matchesName(pattern: string, name: string): boolean {
  return pattern === '*' || pattern === name
}

function parseHeaderList(response: Response, header: string): string[] {
  const text = response.headers.get(header) ?? ''
  return text
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
}

function corsFinding(reason: string, origin: string, { bucket }: S3Settings): Finding {
  const rulesJson = JSON.stringify({ CORSRules: [requiredCorsRule(origin)] })
  return failing(
    `Browsers refuse to send files from ${origin} to the bucket "${bucket}": ${reason}. Uploads fail.`,
    `Write this rule to a file cors.json and apply it to the bucket: ${rulesJson} With the AWS CLI: aws s3api put-bucket-cors --bucket ${shellQuote(bucket)} --cors-configuration file://cors.json`,
  )
}

function uploadFinding(status: number, text: string, bucket: string): Finding {
  const code = /<Code>([\w.]{1,60})<\/Code>/.exec(text)?.[1]
  return failing(
    `${bucket} rejected a file sent the way browsers send it (${status}${code ? `, ${code}` : ''}). Uploads fail.`,
    'The address of S3_PUBLIC_ENDPOINT, or else S3_ENDPOINT, must lead to the storage itself: a proxy in between must keep the Host header and the path. The key must be allowed to put objects, and the clocks must agree.',
  )
}
