import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { TimeoutError } from '../timeout.ts'

const timeoutName = 'no answer in time'

const allowBucketAccess =
  'Allow the key of S3_ACCESS_KEY_ID to list the bucket and to read, write and delete its objects.'
const compareKeys = 'Compare S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY with the key of the storage.'
const checkReachability =
  'Check that the storage is running and that this server can reach S3_ENDPOINT.'
const setRegion = 'Set S3_REGION to the region of the bucket.'
const allowFolderAccess =
  'Allow the user that runs Mayfly to read and write DATA_DIR and everything in it.'
const freeSpace = 'Free space on the disk of DATA_DIR, or enlarge it.'
const checkDisk = 'Check the disk and the system log: the disk or its file system is failing.'

/** What the administrator can do about each storage error. The keys are error names and codes. */
const remedies: Readonly<Record<StorageName, Readonly<Record<string, string>>>> = {
  s3: {
    NoSuchBucket: 'Create the bucket, or set S3_BUCKET to an existing one.',
    NotFound: 'Create the bucket, or set S3_BUCKET to an existing one.',
    AccessDenied: allowBucketAccess,
    Forbidden: allowBucketAccess,
    InvalidAccessKeyId: compareKeys,
    SignatureDoesNotMatch: compareKeys,
    CredentialsProviderError: 'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
    ExpiredToken: compareKeys,
    RequestTimeTooSkewed:
      'Synchronize the clocks of this server and of the storage with a time server.',
    PermanentRedirect: setRegion,
    AuthorizationHeaderMalformed: setRegion,
    ENOTFOUND: 'Check the spelling of the host in S3_ENDPOINT.',
    EAI_AGAIN: 'Check that this server can resolve the host in S3_ENDPOINT.',
    ECONNREFUSED: checkReachability,
    ECONNRESET: checkReachability,
    EHOSTUNREACH: checkReachability,
    ETIMEDOUT: checkReachability,
    TimeoutError: checkReachability,
    [timeoutName]: checkReachability,
  },
  disk: {
    EACCES: allowFolderAccess,
    EPERM: allowFolderAccess,
    EROFS: 'Mount the disk of DATA_DIR read-write.',
    ENOSPC: freeSpace,
    EDQUOT: freeSpace,
    ENOENT: 'Restore the folder, or set DATA_DIR to its new place, and restart Mayfly.',
    ENOTDIR: 'Restore the folder, or set DATA_DIR to its new place, and restart Mayfly.',
    EIO: checkDisk,
    [timeoutName]: checkDisk,
  },
}

const defaultRemedies: Readonly<Record<StorageName, string>> = {
  s3: 'Check the S3_ settings, the permissions of the key, and the log of Mayfly.',
  disk: 'Check the folder and the log of Mayfly.',
}

/** Returns what the administrator can do about an error with this name in this kind of store. */
export function remedyFor(storage: StorageName, reason: string): string {
  const ownRemedies = remedies[storage]
  return (Object.hasOwn(ownRemedies, reason) && ownRemedies[reason]) || defaultRemedies[storage]
}

/**
 * Returns the name of a storage error: a system code or the bucket's error name. Takes it from the
 * innermost cause, because drivers wrap errors. Never returns a message, because that could contain
 * a key or a URL with a secret.
 */
export function errorName(error: unknown): string {
  let name = ''
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof TimeoutError) return timeoutName
    name = 'code' in current && typeof current.code === 'string' ? current.code : current.name
  }
  return /^\w{1,60}$/.test(name) ? name : 'unknown error'
}
