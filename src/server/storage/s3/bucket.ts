import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { type Clock, differenceFrom } from '../../clock.ts'
import type { SendCommand } from './client.ts'
import { requestHeaders, requiredCorsRule, requiredMethods, responseHeader } from './cors-rule.ts'

/**
 * How far the clocks of this server and the bucket may differ. A download URL is valid for one
 * minute, and any difference shortens that time.
 */
const maxClockDifferenceMs = 15_000

/**
 * Checks that pages of `origin` can use the bucket, and that the bucket accepts URLs signed with
 * the time of `clock`.
 * @returns a description of each problem with its remedy; empty if there are none.
 */
export async function checkBucket(
  send: SendCommand,
  bucket: string,
  origin: string,
  clock: Clock,
): Promise<string[]> {
  const problems = await Promise.all([
    corsProblem(send, bucket, origin),
    versioningProblem(send, bucket),
    clockProblem(send, bucket, clock),
  ])
  return problems.filter((problem) => problem !== null)
}

/**
 * Returns the methods that pages of `origin` can't use under these CORS rules, given the headers
 * that uploads and downloads need. S3 applies the first rule that matches the origin, the method
 * and the request headers.
 */
export function blockedMethods(rules: readonly CORSRule[], origin: string): string[] {
  return requiredMethods.filter((method) => {
    const rule = rules.find(
      ({ AllowedOrigins = [], AllowedMethods = [], AllowedHeaders = [] }) =>
        matches(AllowedOrigins, origin) &&
        AllowedMethods.includes(method) &&
        requestHeaders.every((header) => matches(AllowedHeaders, header)),
    )
    const exposedHeaders = rule?.ExposeHeaders?.map((header) => header.toLowerCase()) ?? []
    return !exposedHeaders.includes(responseHeader)
  })
}

/**
 * True if any S3 pattern matches the text. A pattern has at most one `*`, which matches any text.
 */
function matches(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => {
    const [start = '', end] = pattern.toLowerCase().split('*')
    if (end === undefined) return start === text
    return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end)
  })
}

async function corsProblem(
  send: SendCommand,
  bucket: string,
  origin: string,
): Promise<string | null> {
  const remedy = `give the bucket this CORS rule: ${JSON.stringify(requiredCorsRule(origin))}`
  let rules: readonly CORSRule[] = []
  try {
    rules = (await send(new GetBucketCorsCommand({ Bucket: bucket }))).CORSRules ?? []
  } catch (error) {
    if (!isS3Error(error, 'NoSuchCORSConfiguration')) {
      const reason = error instanceof Error ? error.name : String(error)
      return `The CORS rules of the bucket "${bucket}" could not be read (${reason}). If uploads from browsers fail, ${remedy}`
    }
  }
  const blocked = blockedMethods(rules, origin)
  if (blocked.length === 0) return null
  return `Browsers will refuse uploads from ${origin} to the bucket "${bucket}" (${blocked.join(', ')} not allowed as needed): ${remedy}`
}

async function versioningProblem(send: SendCommand, bucket: string): Promise<string | null> {
  if (!(await hasVersioning(send, bucket))) return null
  return `The bucket "${bucket}" keeps old versions, so the bytes of deleted files stay: suspend versioning, or let a lifecycle rule expire noncurrent versions.`
}

/** True if the bucket keeps the bytes of deleted objects as old versions. */
export async function hasVersioning(send: SendCommand, bucket: string): Promise<boolean> {
  try {
    const { Status } = await send(new GetBucketVersioningCommand({ Bucket: bucket }))
    return Status === 'Enabled'
  } catch {
    // Buckets that don't support this request usually have no versioning, and uploads and downloads
    // work regardless.
    return false
  }
}

async function clockProblem(
  send: SendCommand,
  bucket: string,
  clock: Clock,
): Promise<string | null> {
  let differenceMs: number
  try {
    differenceMs = await clockDifferenceMs(send, bucket, clock)
  } catch {
    // If the bucket is unreachable, a different check reports that.
    return null
  }
  if (differenceMs <= maxClockDifferenceMs) return null
  const seconds = Math.round(differenceMs / 1000)
  return `The clocks of this server and of the bucket "${bucket}" are ${seconds} s apart. Download URLs are valid for a minute, so downloads may fail. Synchronize both clocks, for example with NTP.`
}

/**
 * Compares this server's clock with the `Date` header of a response, which has whole seconds.
 * Returns the minimum difference in milliseconds, or 0 if the header is missing.
 */
export async function clockDifferenceMs(
  send: SendCommand,
  bucket: string,
  clock: Clock,
): Promise<number> {
  let differenceMs = 0
  const command = new HeadBucketCommand({ Bucket: bucket })
  command.middlewareStack.add(
    (next) => async (args) => {
      const sentAt = clock()
      const response = await next(args)
      const { headers } = response.response as { headers: Record<string, string> }
      const bucketDate = new Date(headers.date ?? '')
      const isValidDate = !Number.isNaN(bucketDate.getTime())
      differenceMs = isValidDate ? differenceFrom(bucketDate, sentAt, clock(), 1000) : 0
      return response
    },
    { step: 'deserialize', priority: 'high' },
  )
  await send(command)
  return differenceMs
}

function isS3Error(error: unknown, name: string): boolean {
  return error instanceof S3ServiceException && error.name === name
}
