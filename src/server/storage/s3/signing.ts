import type { S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { UploadGrant } from '../storage.ts'

/** The longest life of a URL that SigV4 allows, in seconds. */
const longestSeconds = 7 * 24 * 60 * 60

/**
 * Signs a URL for one part, which storage accepts only with this length and this type. The client
 * library does not sign a type for parts, so the header is added before signing.
 */
export function signPart(
  signing: S3Client,
  command: UploadPartCommand,
  { mimeType, until }: UploadGrant,
  now: Date,
): Promise<string> {
  command.middlewareStack.add(
    (next) => (args) => {
      const { request } = args as { request: { headers: Record<string, string> } }
      request.headers['content-type'] = mimeType
      return next(args)
    },
    { step: 'build' },
  )
  const signableHeaders = new Set(['host', 'content-length', 'content-type'])
  return getSignedUrl(signing, command, { ...lifeOf(now, until), signableHeaders })
}

/**
 * Returns when the life of a URL begins, and how many seconds it lasts. SigV4 counts whole seconds
 * from the signing date, so the life is rounded down, and the URL ends at `until` or before. If
 * `until` has passed, the signing date is moved back. Storage then answers that the URL has
 * expired.
 */
export function lifeOf(now: Date, until: Date): { signingDate: Date; expiresIn: number } {
  const end = Math.floor(until.getTime() / 1000)
  const begin = Math.min(Math.floor(now.getTime() / 1000), end - 1)
  return { signingDate: new Date(begin * 1000), expiresIn: Math.min(end - begin, longestSeconds) }
}
