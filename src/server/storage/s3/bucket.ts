import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { Clock } from '../../clock.ts'

const methods = ['PUT', 'GET', 'HEAD']
/**
 * The headers that a browser sends with each part. The type is part of the signature. By the MD5
 * the bucket checks the body.
 */
const sentHeaders = ['content-type', 'content-md5']
const readHeader = 'etag'
/**
 * How much the clocks of the server and the bucket may differ. The URL of a download lives for one
 * minute, and such a difference shortens that.
 */
const tolerableDifferenceMs = 15_000

/**
 * Checks whether pages of `origin` can use a bucket, and whether URLs that are signed by `clock`
 * work there.
 * @returns one sentence for each obstacle, with its cure; none when there is no obstacle.
 */
export async function checkBucket(
  client: S3Client,
  bucket: string,
  origin: string,
  clock: Clock,
): Promise<string[]> {
  const faults = await Promise.all([
    corsFault(client, bucket, origin),
    versioningFault(client, bucket),
    clockFault(client, bucket, clock),
  ])
  return faults.filter((fault) => fault !== null)
}

/**
 * Returns the CORS rule that a bucket needs for pages of `origin`, in the form that S3's
 * PutBucketCors takes.
 */
export function neededRule(origin: string): CORSRule {
  return {
    AllowedOrigins: [origin],
    AllowedMethods: methods,
    AllowedHeaders: sentHeaders,
    ExposeHeaders: ['etag'],
    MaxAgeSeconds: 3600,
  }
}

/**
 * Returns the methods that these CORS rules do not allow pages of `origin`, or not with the headers
 * that uploads and downloads need. S3 applies the first rule that matches the origin and the
 * method.
 */
export function refusedMethods(rules: readonly CORSRule[], origin: string): string[] {
  return methods.filter((method) => {
    const rule = rules.find(
      ({ AllowedOrigins = [], AllowedMethods = [], AllowedHeaders = [] }) =>
        matches(AllowedOrigins, origin) &&
        AllowedMethods.includes(method) &&
        sentHeaders.every((header) => matches(AllowedHeaders, header)),
    )
    const exposed = rule?.ExposeHeaders?.map((header) => header.toLowerCase()) ?? []
    return !exposed.includes(readHeader)
  })
}

/**
 * Tells whether one of S3's patterns matches the text. A pattern has at most one `*`, which stands
 * for any text.
 */
function matches(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => {
    const [start = '', end] = pattern.toLowerCase().split('*')
    if (end === undefined) return start === text
    return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end)
  })
}

async function corsFault(client: S3Client, bucket: string, origin: string): Promise<string | null> {
  const cure = `give the bucket this CORS rule: ${JSON.stringify(neededRule(origin))}`
  let rules: readonly CORSRule[] = []
  try {
    rules = (await client.send(new GetBucketCorsCommand({ Bucket: bucket }))).CORSRules ?? []
  } catch (error) {
    if (!isNamed(error, 'NoSuchCORSConfiguration')) {
      const reason = error instanceof Error ? error.name : String(error)
      return `The CORS rules of the bucket "${bucket}" could not be read (${reason}). If uploads from browsers fail, ${cure}`
    }
  }
  const refused = refusedMethods(rules, origin)
  if (refused.length === 0) return null
  return `Browsers will refuse uploads from ${origin} to the bucket "${bucket}" (${refused.join(', ')} not allowed as needed): ${cure}`
}

async function versioningFault(client: S3Client, bucket: string): Promise<string | null> {
  try {
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: bucket }))
    if (Status !== 'Enabled') return null
  } catch {
    // A storage that cannot answer this question usually has no versioning. Uploads and downloads
    // do not depend on the answer.
    return null
  }
  return `The bucket "${bucket}" keeps old versions, so the bytes of deleted files stay: suspend versioning, or let a lifecycle rule expire noncurrent versions.`
}

async function clockFault(client: S3Client, bucket: string, clock: Clock): Promise<string | null> {
  let differenceMs = 0
  const command = new HeadBucketCommand({ Bucket: bucket })
  command.middlewareStack.add(
    (next) => async (args) => {
      const sentAt = clock().getTime()
      const answer = await next(args)
      const { headers } = answer.response as { headers: Record<string, string> }
      differenceMs = differenceFrom(Date.parse(headers.date ?? ''), sentAt, clock().getTime())
      return answer
    },
    { step: 'deserialize', priority: 'high' },
  )
  try {
    await client.send(command)
  } catch {
    // Another check tells, with its own message, whether the bucket can be reached.
    return null
  }
  if (differenceMs <= tolerableDifferenceMs) return null
  const seconds = Math.round(differenceMs / 1000)
  return `The clocks of this server and of the bucket "${bucket}" are ${seconds} s apart, and the URL of a download lives for a minute: downloads will fail or nearly so. Let both follow a time server.`
}

/**
 * The moment is known only to the second. Returns by how many milliseconds it lies at least before
 * `from` or after `to`; 0 for a moment that cannot be read.
 */
function differenceFrom(moment: number, from: number, to: number): number {
  if (Number.isNaN(moment)) return 0
  return Math.max(0, moment - to, from - (moment + 1000))
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof S3ServiceException && error.name === name
}
