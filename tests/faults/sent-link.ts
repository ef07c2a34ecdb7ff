import type { ErrorBody, ErrorCode } from '../../src/shared/contract/errors.ts'
import type { Link } from '../../src/shared/contract/links.ts'
import { withToken } from '../support/file-requests.ts'
import { changeLink } from '../support/link-requests.ts'
import { type Client, json, makeClient } from '../support/make.ts'
import { type Caller, call } from './call.ts'

/** The owner of a request, and of what people send to it. */
type RequestOwner = Caller & { client: Client }

/** A request of a user, for a single delivery. */
export interface ExpectedRequest {
  id: string
  code: string
}

export interface StartedLink {
  code: string
  cloudKeys: string[]
  urls: string[]
  /** Null for a link that its owner uploads. */
  uploadToken: string | null
}

async function readJson<Body>(response: Response | null): Promise<Body | null> {
  return response?.ok ? json<Body>(response).catch(() => null) : null
}

/** Creates a request. Returns null if the response was lost. */
export async function requestFiles(owner: RequestOwner): Promise<ExpectedRequest | null> {
  const body = { title: 'Files for a test', openDays: 30, maxLinks: 1 }
  return readJson(
    await call(owner, 'request files', () => owner.client.post('/api/requests', body)),
  )
}

/** Starts a delivery as a visitor. The owner tells its code. Returns null if a response is lost. */
export async function startDelivery(
  owner: RequestOwner,
  { id, code }: ExpectedRequest,
  body: { idempotencyKey: string; files: unknown[] },
): Promise<StartedLink | null> {
  const delivery = await readJson<{
    uploads: { cloudKey: string; uploadUrl: string }[]
    uploadToken: string
  }>(
    await call(owner, 'start a delivery', () =>
      makeClient(owner).post(`/api/requests/${code}/links`, body),
    ),
  )
  const received = await readJson<Link[]>(
    await call(owner, 'list deliveries', () => owner.client.fetch(`/api/links?requestId=${id}`)),
  )
  const [link] = received ?? []
  if (delivery === null || !link) return null
  return {
    code: link.shortCode,
    cloudKeys: delivery.uploads.map(({ cloudKey }) => cloudKey),
    urls: delivery.uploads.map(({ uploadUrl }) => uploadUrl),
    uploadToken: delivery.uploadToken,
  }
}

/** Confirms files as their sender. Returns the codes of errors, or null if a response is lost. */
export async function confirmDelivery(
  owner: RequestOwner,
  { cloudKeys, uploadToken }: StartedLink,
): Promise<ErrorCode[] | null> {
  const sender = withToken(makeClient(owner), uploadToken ?? '')
  const responses = await Promise.all(
    cloudKeys.map((cloudKey) =>
      call(owner, 'confirm a delivery', () =>
        sender.post('/api/files/confirm-upload', { cloudKey }),
      ),
    ),
  )
  const codes: ErrorCode[] = []
  for (const response of responses) {
    const body = response && (await json<Partial<ErrorBody>>(response).catch(() => null))
    if (body === null) return null
    if (body.code) codes.push(body.code)
  }
  return codes
}

/** Shares a received link, so that visitors can download it. Returns false without a response. */
export async function share(owner: RequestOwner, { code }: StartedLink): Promise<boolean> {
  const response = await call(owner, 'share a delivery', () =>
    changeLink(owner.client, code, { shared: true }),
  )
  return response?.ok === true
}
