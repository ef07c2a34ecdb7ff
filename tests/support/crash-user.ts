import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { File } from '../../src/shared/contract/files.ts'
import { hangTimeoutMs } from './hang.ts'
import {
  type Client,
  json,
  type ListedPart,
  logIn,
  makeClient,
  type StartedUpload,
  sha256,
  signUp,
} from './make.ts'
import type { Draw } from './seeded-rounds.ts'

const pauseMs = 50
/** Two parts, the last one shorter. */
const partedBytes = 8 * 1024 * 1024 + 100_000

interface ConfirmedFile {
  id: string
  shortCode: string
  sha256: string
}

/**
 * A user who uploads, lists, downloads, renews and deletes while servers are killed. Retries like a
 * browser and records what the servers confirmed.
 */
export class CrashUser {
  readonly #server: { url: string }
  readonly #draw: Draw
  readonly #files = new Map<string, ConfirmedFile>()
  /** Short codes ended by a renewal or deletion. */
  readonly #ended = new Set<string>()
  #client: Client
  /** Retries after a 5xx, or after a lost or truncated response. */
  retries = 0
  stories = 0
  /** Successful renewals. */
  renewed = 0

  private constructor(server: { url: string }, draw: Draw, client: Client) {
    this.#server = server
    this.#draw = draw
    this.#client = client
  }

  /** Signs up a premium user, who can renew and has no file limit. */
  static async join(server: { url: string }, draw: Draw): Promise<CrashUser> {
    const { email, password } = await signUp(server)
    const client = makeClient(server, await logIn(server, email, password))
    const trial = await client.post('/api/auth/start-trial')
    if (!trial.ok) throw new Error(`the trial was answered ${trial.status}`)
    return new CrashUser(server, draw, client)
  }

  get fileCount(): number {
    return this.#files.size
  }

  /**
   * Uploads and downloads a file; renews, deletes or downloads a random one; then checks the file
   * list.
   */
  async runStory(): Promise<void> {
    const bytes = randomBytes(this.#draw(3) === 0 ? partedBytes : 1 + this.#draw(300_000))
    const file = await this.#upload(bytes)
    await this.#expectBytes(file)
    const files = [...this.#files.values()]
    const older = files[this.#draw(files.length)]
    const acts = [this.#renew, this.#delete, this.#expectBytes]
    if (older) await acts[this.#draw(acts.length)]?.call(this, older)
    await this.#expectList()
    this.stories += 1
  }

  /** Asserts that every confirmed file is listed and intact, and every ended link is dead. */
  async expectNothingLost(): Promise<void> {
    await this.#expectList()
    for (const file of this.#files.values()) await this.#expectBytes(file)
    for (const code of this.#ended) {
      const { status } = await this.#ask(() => this.#download(code))
      if (status !== 404) throw new Error(`the ended link ${code} was answered ${status}`)
    }
  }

  async #upload(bytes: Buffer<ArrayBuffer>): Promise<ConfirmedFile> {
    const request = {
      fileName: 'notes.txt',
      fileSize: bytes.length,
      fileType: 'text/plain',
      expirationDays: '3',
      idempotencyKey: randomUUID(),
    }
    const started = await this.#call<StartedUpload>(() =>
      this.#client.post('/api/files/get-upload-url', request),
    )
    await this.#sendMissing(started, bytes)
    // All PUTs succeeded, so the upload must be complete.
    const confirmation = { cloudKey: started.cloudKey }
    const {
      id,
      shortCode,
      sha256: told,
    } = await this.#call<File>(() => this.#client.post('/api/files/confirm-upload', confirmation))
    const expected = sha256(bytes)
    if (told !== undefined && told !== null && told !== expected) {
      throw new Error(`the file ${id} has the SHA-256 ${told} and not ${expected}`)
    }
    const file = { id, shortCode, sha256: expected }
    this.#files.set(id, file)
    return file
  }

  async #sendMissing({ uploadUrl, cloudKey, parts }: StartedUpload, bytes: Buffer<ArrayBuffer>) {
    if (!parts) return this.#put(uploadUrl, bytes)
    const list = `/api/files/upload-parts?cloudKey=${cloudKey}`
    const { parts: stored } = await this.#call<{ parts: ListedPart[] }>(() =>
      this.#client.fetch(list),
    )
    const numbers = Array.from({ length: parts.count }, (_, index) => index + 1)
    const missing = numbers.filter((n) => !stored.some(({ partNumber }) => partNumber === n))
    await Promise.all(
      missing.map((number) => {
        const piece = bytes.subarray((number - 1) * parts.size, number * parts.size)
        return this.#put(parts.urls[number] ?? '', piece)
      }),
    )
  }

  /** Sends bytes with retries. UPLOAD_SEALED means that an earlier attempt succeeded. */
  async #put(url: string, body: Buffer<ArrayBuffer>): Promise<void> {
    const headers = { 'content-type': 'text/plain' }
    const put = () => fetch(url, { method: 'PUT', headers, body, signal: this.#timeout() })
    const response = await this.#ask(put)
    if (response.ok || (await codeOf(response)) === 'UPLOAD_SEALED') return
    throw new Error(`a PUT was answered ${response.status}`)
  }

  async #renew(file: ConfirmedFile): Promise<void> {
    const before = file.shortCode
    const response = await this.#once(() =>
      this.#client.fetch(`/api/files/${file.id}/renew`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ expirationDays: '3' }),
      }),
    )
    const listed = (await this.#list()).find(({ id }) => id === file.id)
    if (!listed) throw new Error(`the renewed file ${file.id} is not listed`)
    if (response && response.status < 500) {
      const { shortCode } = await this.#ok<File>(response)
      if (shortCode !== listed.shortCode) throw new Error(`the renewal of ${file.id} is lost`)
      this.renewed += 1
    }
    // After a lost response only the list shows whether the link was renewed.
    file.shortCode = listed.shortCode
    if (before !== file.shortCode) this.#ended.add(before)
    await this.#expectBytes(file)
  }

  async #delete({ id, shortCode }: ConfirmedFile): Promise<void> {
    const response = await this.#ask(() =>
      this.#client.fetch(`/api/files/${id}`, { method: 'DELETE' }),
    )
    if (response.status !== 404) await this.#ok(response)
    this.#files.delete(id)
    this.#ended.add(shortCode)
  }

  async #expectBytes({ id, shortCode, sha256: expected }: ConfirmedFile): Promise<void> {
    for (;;) {
      const response = await this.#ask(() => this.#download(shortCode))
      if (!response.ok)
        throw new Error(`the link of the file ${id} was answered ${response.status}`)
      // A killed server truncates downloads. Clients detect that and retry.
      const body = await response.arrayBuffer().catch(() => null)
      if (body === null) {
        this.retries += 1
        continue
      }
      if (sha256(new Uint8Array(body)) !== expected) throw new Error(`the file ${id} was altered`)
      return
    }
  }

  async #expectList(): Promise<void> {
    const listed = (await this.#list()).map(({ id, shortCode }) => `${id} ${shortCode}`)
    const expected = [...this.#files.values()].map(({ id, shortCode }) => `${id} ${shortCode}`)
    if (listed.sort().join() !== expected.sort().join()) {
      throw new Error(`listed are ${listed.join(', ')}; confirmed were ${expected.join(', ')}`)
    }
  }

  #list(): Promise<File[]> {
    return this.#call(() => this.#client.fetch('/api/files'))
  }

  #download(code: string): Promise<Response> {
    return fetch(`${this.#server.url}/api/download/${code}`, { signal: this.#timeout() })
  }

  async #call<T>(request: () => Promise<Response>): Promise<T> {
    return this.#ok<T>(await this.#ask(request))
  }

  async #ok<T>(response: Response): Promise<T> {
    if (!response.ok) throw new Error(`${response.url} was answered ${response.status}`)
    return json<T>(response)
  }

  /** Retries a request until it gets a complete response below 500. */
  async #ask(request: () => Promise<Response>): Promise<Response> {
    const timeout = this.#timeout()
    for (;;) {
      const response = await this.#once(request)
      if (response && response.status < 500) return response
      if (timeout.aborted) throw new Error(`no answer but ${response?.status ?? 'none'}`)
      this.retries += 1
      await wait(pauseMs)
    }
  }

  /** Sends a request. Returns null for a lost or truncated response. */
  async #once(request: () => Promise<Response>): Promise<Response | null> {
    try {
      const response = await request()
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      if (!isJson) return response
      // Read the body here, so that a truncated response counts as lost.
      const { status, headers } = response
      return new Response(await response.text(), { status, headers })
    } catch {
      return null
    }
  }

  #timeout(): AbortSignal {
    return AbortSignal.timeout(hangTimeoutMs)
  }
}

async function codeOf(response: Response): Promise<unknown> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
}
