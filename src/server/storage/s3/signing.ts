import type { S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { UploadGrant } from '../storage.ts'

/** SigV4 signs for no longer. */
const longestSeconds = 7 * 24 * 60 * 60

/**
 * A URL for one part that storage itself takes with this length and this type alone. Parts have no
 * type for the client library, but a header that is signed must be sent as it was signed.
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
 * SigV4 counts a life in whole seconds from its date: rounded so that it ends at `until` or before.
 * What has ended already is dated back, and so still a URL, of which storage says that it is over.
 */
export function lifeOf(now: Date, until: Date): { signingDate: Date; expiresIn: number } {
  const end = Math.floor(until.getTime() / 1000)
  const begin = Math.min(Math.floor(now.getTime() / 1000), end - 1)
  return { signingDate: new Date(begin * 1000), expiresIn: Math.min(end - begin, longestSeconds) }
}
