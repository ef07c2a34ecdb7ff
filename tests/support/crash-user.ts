import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { File } from '../../src/shared/contract/files.ts'
import { hangTimeoutMs } from './hang-timeout.ts'
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
import type { RandomInt } from './seeded-rounds.ts'

const pauseMs = 50
/** The size of a file large enough to be sent in two parts. */
const multipartSize = 8 * 1024 * 1024 + 100_000

interface ConfirmedFile {
  id: string
  shortCode: string
  sha256: string
}

/**
 * A user who uploads, lists, downloads, renews and deletes files while servers are killed. Retries
 * as a browser would, and records what the servers confirmed.
 */
export class CrashUser {
  readonly #server: { url: string }
  readonly #draw: RandomInt
  readonly #files = new Map<string, ConfirmedFile>()
  /** Short codes of links that no longer work because of a renewal or deletion. */
  readonly #endedCodes = new Set<string>()
  #client: Client
  /** How many requests were retried after a 5xx, or after a lost or truncated response. */
  retries = 0
  cycles = 0
  renewals = 0

  private constructor(server: { url: string }, random: RandomInt, client: Client) {
    this.#server = server
    this.#draw = random
    this.#client = client
  }

  /** Signs up a premium user, because free users can't renew files and have a file limit. */
  static async register(server: { url: string }, random: RandomInt): Promise<CrashUser> {
    const { email, password } = await signUp(server)
    const client = makeClient(server, await logIn(server, email, password))
    const trialResponse = await client.post('/api/auth/start-trial')
    if (!trialResponse.ok) throw new Error(`the trial was answered ${trialResponse.status}`)
    return new CrashUser(server, random, client)
  }

  get fileCount(): number {
    return this.#files.size
  }

  /**
   * Uploads and downloads a file, then renews, deletes or downloads a random one, and finally
   * checks the file list.
   */
  async runCycle(): Promise<void> {
    const bytes = randomBytes(this.#draw(3) === 0 ? multipartSize : 1 + this.#draw(300_000))
    const file = await this.#upload(bytes)
    await this.#expectBytes(file)
    const files = [...this.#files.values()]
    const olderFile = files[this.#draw(files.length)]
    const actions = [this.#renew, this.#delete, this.#expectBytes]
    if (olderFile) await actions[this.#draw(actions.length)]?.call(this, olderFile)
    await this.#expectList()
    this.cycles += 1
  }

  /**
   * Asserts that every confirmed file is listed and intact, and that links that have ended don't
   * work.
   */
  async expectNothingLost(): Promise<void> {
    await this.#expectList()
    for (const file of this.#files.values()) await this.#expectBytes(file)
    for (const code of this.#endedCodes) {
      const { status } = await this.#sendWithRetries(() => this.#download(code))
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
    const upload = await this.#requestJson<StartedUpload>(() =>
      this.#client.post('/api/files/get-upload-url', request),
    )
    await this.#sendMissing(upload, bytes)
    // Every PUT has succeeded, so the upload must be complete.
    const confirmRequest = { cloudKey: upload.cloudKey }
    const {
      id,
      shortCode,
      sha256: reportedSha256,
    } = await this.#requestJson<File>(() =>
      this.#client.post('/api/files/confirm-upload', confirmRequest),
    )
    const expectedSha256 = sha256(bytes)
    if (
      reportedSha256 !== undefined &&
      reportedSha256 !== null &&
      reportedSha256 !== expectedSha256
    ) {
      throw new Error(`the file ${id} has the SHA-256 ${reportedSha256} and not ${expectedSha256}`)
    }
    const file = { id, shortCode, sha256: expectedSha256 }
    this.#files.set(id, file)
    return file
  }

  async #sendMissing({ uploadUrl, cloudKey, parts }: StartedUpload, bytes: Buffer<ArrayBuffer>) {
    if (!parts) return this.#put(uploadUrl, bytes)
    const path = `/api/files/upload-parts?cloudKey=${cloudKey}`
    const { parts: storedParts } = await this.#requestJson<{ parts: ListedPart[] }>(() =>
      this.#client.fetch(path),
    )
    const partNumbers = Array.from({ length: parts.count }, (_, index) => index + 1)
    const missingNumbers = partNumbers.filter(
      (n) => !storedParts.some(({ partNumber }) => partNumber === n),
    )
    await Promise.all(
      missingNumbers.map((partNumber) => {
        const partBytes = bytes.subarray((partNumber - 1) * parts.size, partNumber * parts.size)
        return this.#put(parts.urls[partNumber] ?? '', partBytes)
      }),
    )
  }

  /** Sends bytes, with retries. The error UPLOAD_SEALED means that an earlier attempt succeeded. */
  async #put(url: string, body: Buffer<ArrayBuffer>): Promise<void> {
    const headers = { 'content-type': 'text/plain' }
    const put = () => fetch(url, { method: 'PUT', headers, body, signal: this.#timeout() })
    const response = await this.#sendWithRetries(put)
    if (response.ok || (await readErrorCode(response)) === 'UPLOAD_SEALED') return
    throw new Error(`a PUT was answered ${response.status}`)
  }

  async #renew(file: ConfirmedFile): Promise<void> {
    const oldCode = file.shortCode
    const response = await this.#trySend(() =>
      this.#client.fetch(`/api/files/${file.id}/renew`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ expirationDays: '3' }),
      }),
    )
    const listedFile = (await this.#list()).find(({ id }) => id === file.id)
    if (!listedFile) throw new Error(`the renewed file ${file.id} is not listed`)
    if (response && response.status < 500) {
      const { shortCode } = await this.#expectJson<File>(response)
      if (shortCode !== listedFile.shortCode) throw new Error(`the renewal of ${file.id} is lost`)
      this.renewals += 1
    }
    // If a renewal's response was lost, only the file list shows whether the link was replaced.
    file.shortCode = listedFile.shortCode
    if (oldCode !== file.shortCode) this.#endedCodes.add(oldCode)
    await this.#expectBytes(file)
  }

  async #delete({ id, shortCode }: ConfirmedFile): Promise<void> {
    const response = await this.#sendWithRetries(() =>
      this.#client.fetch(`/api/files/${id}`, { method: 'DELETE' }),
    )
    if (response.status !== 404) await this.#expectJson(response)
    this.#files.delete(id)
    this.#endedCodes.add(shortCode)
  }

  async #expectBytes({ id, shortCode, sha256: expectedSha256 }: ConfirmedFile): Promise<void> {
    for (;;) {
      const response = await this.#sendWithRetries(() => this.#download(shortCode))
      if (!response.ok)
        throw new Error(`the link of the file ${id} was answered ${response.status}`)
      // A killed server cuts its downloads short. Clients notice that and retry.
      const body = await response.arrayBuffer().catch(() => null)
      if (body === null) {
        this.retries += 1
        continue
      }
      if (sha256(new Uint8Array(body)) !== expectedSha256)
        throw new Error(`the file ${id} was altered`)
      return
    }
  }

  async #expectList(): Promise<void> {
    const listedFiles = (await this.#list()).map(({ id, shortCode }) => `${id} ${shortCode}`)
    const expectedFiles = [...this.#files.values()].map(({ id, shortCode }) => `${id} ${shortCode}`)
    if (listedFiles.sort().join() !== expectedFiles.sort().join()) {
      throw new Error(
        `listed are ${listedFiles.join(', ')}; confirmed were ${expectedFiles.join(', ')}`,
      )
    }
  }

  #list(): Promise<File[]> {
    return this.#requestJson(() => this.#client.fetch('/api/files'))
  }

  #download(code: string): Promise<Response> {
    return fetch(`${this.#server.url}/api/download/${code}`, { signal: this.#timeout() })
  }

  async #requestJson<T>(request: () => Promise<Response>): Promise<T> {
    return this.#expectJson<T>(await this.#sendWithRetries(request))
  }

  async #expectJson<T>(response: Response): Promise<T> {
    if (!response.ok) throw new Error(`${response.url} was answered ${response.status}`)
    return json<T>(response)
  }

  /** Retries a request until a complete response with a status below 500 arrives. */
  async #sendWithRetries(request: () => Promise<Response>): Promise<Response> {
    const timeoutSignal = this.#timeout()
    for (;;) {
      const response = await this.#trySend(request)
      if (response && response.status < 500) return response
      if (timeoutSignal.aborted) throw new Error(`no answer but ${response?.status ?? 'none'}`)
      this.retries += 1
      await wait(pauseMs)
    }
  }

  /** Sends a request. Returns null if its response is lost or truncated. */
  async #trySend(request: () => Promise<Response>): Promise<Response | null> {
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

async function readErrorCode(response: Response): Promise<unknown> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
}
