import type { StorageName } from '../../shared/rules/files/storage-name.ts'
import { TimeoutError } from '../timeout.ts'

const timeoutName = 'no answer in time'

const bucketAccessRemedy =
  'Allow the key of S3_ACCESS_KEY_ID to list the bucket and to read, write and delete its objects.'
const accessKeyRemedy =
  'Compare S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY with the key of the storage.'
const reachabilityRemedy =
  'Check that the storage is running and that this server can reach S3_ENDPOINT.'
const regionRemedy = 'Set S3_REGION to the region of the bucket.'
const folderAccessRemedy =
  'Allow the user that runs Mayfly to read and write DATA_DIR and everything in it.'
const freeSpaceRemedy = 'Free space on the disk of DATA_DIR, or enlarge it.'
const diskRemedy = 'Check the disk and the system log: the disk or its file system is failing.'

/** Instructions for the administrator, by store and by the error's name or code. */
const remedies: Readonly<Record<StorageName, Readonly<Record<string, string>>>> = {
  s3: {
    NoSuchBucket: 'Create the bucket, or set S3_BUCKET to an existing one.',
    NotFound: 'Create the bucket, or set S3_BUCKET to an existing one.',
    AccessDenied: bucketAccessRemedy,
    Forbidden: bucketAccessRemedy,
    InvalidAccessKeyId: accessKeyRemedy,
    SignatureDoesNotMatch: accessKeyRemedy,
    CredentialsProviderError: 'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
    ExpiredToken: accessKeyRemedy,
    RequestTimeTooSkewed:
      'Synchronize the clocks of this server and of the storage with a time server.',
    PermanentRedirect: regionRemedy,
    AuthorizationHeaderMalformed: regionRemedy,
    ENOTFOUND: 'Check the spelling of the host in S3_ENDPOINT.',
    EAI_AGAIN: 'Check that this server can resolve the host in S3_ENDPOINT.',
    ECONNREFUSED: reachabilityRemedy,
    ECONNRESET: reachabilityRemedy,
    EHOSTUNREACH: reachabilityRemedy,
    ETIMEDOUT: reachabilityRemedy,
    TimeoutError: reachabilityRemedy,
    [timeoutName]: reachabilityRemedy,
  },
  disk: {
    EACCES: folderAccessRemedy,
    EPERM: folderAccessRemedy,
    EROFS: 'Mount the disk of DATA_DIR read-write.',
    ENOSPC: freeSpaceRemedy,
    EDQUOT: freeSpaceRemedy,
    ENOENT: 'Restore the folder, or set DATA_DIR to its new place, and restart Mayfly.',
    ENOTDIR: 'Restore the folder, or set DATA_DIR to its new place, and restart Mayfly.',
    EIO: diskRemedy,
    [timeoutName]: diskRemedy,
  },
}

const defaultRemedies: Readonly<Record<StorageName, string>> = {
  s3: 'Check the S3_ settings, the permissions of the key, and the log of Mayfly.',
  disk: 'Check the folder and the log of Mayfly.',
}

/** Returns instructions for the administrator for an error with this name in this kind of store. */
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
  for (let currentError = error; currentError instanceof Error; currentError = currentError.cause) {
    if (currentError instanceof TimeoutError) return timeoutName
    name =
      'code' in currentError && typeof currentError.code === 'string'
        ? currentError.code
        : currentError.name
  }
  return /^\w{1,60}$/.test(name) ? name : 'unknown error'
}
