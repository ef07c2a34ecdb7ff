import { z } from 'zod'
import { invalid, invalidSecret, optionalOnOff } from './setting-values.ts'

/** The bucket for new files, and how the server and browsers reach it. */
export interface S3Settings {
  bucket: string
  region: string
  /** If null, AWS's endpoint for the region is used. */
  endpoint: URL | null
  /** The endpoint for browsers. If null, browsers use `endpoint` too. */
  publicEndpoint: URL | null
  /** If null, the AWS SDK's default credentials are used, such as the machine's role. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
  /** True if URLs have the bucket's name in the path instead of the host. */
  forcePathStyle: boolean
}

/** 3 to 63 characters, as every S3 service requires. */
const bucketName = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/

/** Rejects queries, fragments and userinfo, which S3 clients would drop. */
function isEndpoint(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return `${url.search}${url.hash}${url.username}${url.password}` === ''
}

function endpoint() {
  return z
    .string()
    .refine(isEndpoint, invalid('give an address such as https://s3.example.org, or unset it'))
    .transform((value) => new URL(value))
    .nullable()
    .default(null)
}

export const s3Schema = {
  S3_BUCKET: z
    .string()
    .regex(bucketName, invalid('give the name of a bucket, or unset it'))
    .nullable()
    .default(null),
  S3_REGION: z
    .string()
    .regex(/^[a-z\d-]+$/i, invalid('give a region such as eu-central-1, or unset it'))
    .optional(),
  S3_ENDPOINT: endpoint(),
  S3_PUBLIC_ENDPOINT: endpoint(),
  S3_ACCESS_KEY_ID: z
    .string()
    .max(1000, invalidSecret('give the id of a key, or unset it'))
    .optional(),
  S3_SECRET_ACCESS_KEY: z
    .string()
    .max(1000, invalidSecret('give a secret, or unset it'))
    .optional(),
  S3_FORCE_PATH_STYLE: optionalOnOff(),
}

type S3Environment = z.output<z.ZodObject<typeof s3Schema>>

/** Returns an error for each missing required setting. */
export function findMissingS3Settings(
  values: Readonly<Record<string, string | undefined>>,
): string[] {
  const presentNames = Object.keys(s3Schema).filter((name) => values[name] !== undefined)
  if (values.S3_BUCKET === undefined) {
    return presentNames.map(
      (name) => `${name} is set, but no S3_BUCKET: name the bucket, or unset it`,
    )
  }
  const problems: string[] = []
  if (values.S3_REGION === undefined && values.S3_ENDPOINT === undefined) {
    problems.push(
      "S3_REGION is missing: give the bucket's region at AWS, or S3_ENDPOINT for another storage",
    )
  }
  const keyNames = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']
  const missingNames = keyNames.filter((name) => values[name] === undefined)
  if (missingNames.length === 1) {
    const presentName = keyNames.find((name) => !missingNames.includes(name))
    problems.push(
      `${missingNames[0]} is missing: it belongs to ${presentName}; set both, or neither`,
    )
  }
  return problems
}

/** Returns an error for each setting that prevents browsers from reaching the storage. */
export function findUnreachableS3Settings(env: S3Environment, appUrl: URL): string[] {
  const name = env.S3_PUBLIC_ENDPOINT ? 'S3_PUBLIC_ENDPOINT' : 'S3_ENDPOINT'
  const browserEndpoint = env.S3_PUBLIC_ENDPOINT ?? env.S3_ENDPOINT
  if (env.S3_BUCKET === null || browserEndpoint === null) return []
  if (browserEndpoint.origin === appUrl.origin) {
    return [`${name} is at the origin of APP_URL: give the storage one of its own`]
  }
  if (appUrl.protocol === 'https:' && browserEndpoint.protocol === 'http:') {
    return [
      `${name} is "${browserEndpoint.href}", which browsers refuse to pages of ${appUrl.origin}: give S3_PUBLIC_ENDPOINT an https address`,
    ]
  }
  return []
}

/** Returns null if no bucket is set. */
export function readS3Settings(env: S3Environment): S3Settings | null {
  if (env.S3_BUCKET === null) return null
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  return {
    bucket: env.S3_BUCKET,
    region: env.S3_REGION ?? 'us-east-1',
    endpoint: env.S3_ENDPOINT,
    publicEndpoint: env.S3_PUBLIC_ENDPOINT,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
    forcePathStyle: env.S3_FORCE_PATH_STYLE ?? env.S3_ENDPOINT !== null,
  }
}
