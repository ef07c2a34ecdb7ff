import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { TimeoutError } from '../timeout.ts'

const late = 'no answer in time'

const rights =
  'Give the key of S3_ACCESS_KEY_ID the right to list the bucket and to read, write and remove its objects.'
const keys = 'Compare S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY with the key of the storage.'
const reach =
  'Look whether the storage runs, and whether this server reaches the address of S3_ENDPOINT.'
const region = 'Set S3_REGION to the region of the bucket.'
const permission = 'Let the user that runs Mayfly read and write DATA_DIR and everything in it.'
const space = 'Remove what is not needed from the disk of DATA_DIR, or enlarge it.'
const medium = 'Look at the disk and at the log of the system: the disk or its file system fails.'

/**
 * What the administrator should do about each fault. The keys are the names or codes of the errors.
 */
const remedies: Readonly<Record<StorageName, Readonly<Record<string, string>>>> = {
  s3: {
    NoSuchBucket: 'Make the bucket, or set S3_BUCKET to the one that you have.',
    NotFound: 'Make the bucket, or set S3_BUCKET to the one that you have.',
    AccessDenied: rights,
    Forbidden: rights,
    InvalidAccessKeyId: keys,
    SignatureDoesNotMatch: keys,
    CredentialsProviderError: 'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
    ExpiredToken: keys,
    RequestTimeTooSkewed: 'Let the clocks of this server and of the storage follow a time server.',
    PermanentRedirect: region,
    AuthorizationHeaderMalformed: region,
    ENOTFOUND: 'Look whether the host in S3_ENDPOINT is written right.',
    EAI_AGAIN: 'Look whether this server can look up the host in S3_ENDPOINT.',
    ECONNREFUSED: reach,
    ECONNRESET: reach,
    EHOSTUNREACH: reach,
    ETIMEDOUT: reach,
    TimeoutError: reach,
    [late]: reach,
  },
  disk: {
    EACCES: permission,
    EPERM: permission,
    EROFS: 'Mount the disk of DATA_DIR so that it can be written to.',
    ENOSPC: space,
    EDQUOT: space,
    ENOENT: 'Bring the folder back, or set DATA_DIR to where it is, and start Mayfly again.',
    ENOTDIR: 'Bring the folder back, or set DATA_DIR to where it is, and start Mayfly again.',
    EIO: medium,
    [late]: medium,
  },
}

const otherwise: Readonly<Record<StorageName, string>> = {
  s3: 'Look at the settings that begin with S3_, at what the key may do, and at the log of Mayfly.',
  disk: 'Look at the folder, and at the log of Mayfly.',
}

/** Tells the administrator what to do about a fault with this name in this kind of store. */
export function remedyFor(storage: StorageName, reason: string): string {
  const known = remedies[storage]
  return (Object.hasOwn(known, reason) && known[reason]) || otherwise[storage]
}

/**
 * Returns the name of a storage fault: a code of the system, or the name that the bucket gives it.
 * Drivers wrap errors, so this function takes the name of the deepest cause. It never returns a
 * message, because a message could contain a key or a URL with a secret.
 */
export function errorName(error: unknown): string {
  let name = ''
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    if (fault instanceof TimeoutError) return late
    name = 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name
  }
  return /^\w{1,60}$/.test(name) ? name : 'an unknown fault'
}
