import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { File } from '../../src/shared/contract/files.ts'
import { hangMs } from './hang.ts'
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
/**
 * Larger than one part, which has 8 MiB. So such a file is sent in two parts, and the last one is
 * shorter.
 */
const partedBytes = 8 * 1024 * 1024 + 100_000

/** A file that the server has acknowledged, and what it must still have. */
interface Acknowledged {
  id: string
  shortCode: string
  sha256: string
}

/**
 * A user who uploads, lists, downloads, renews and deletes while servers are killed. The player
 * repeats what a browser would repeat, and remembers what the servers have acknowledged.
 */
export class CrashPlayer {
  readonly #server: { url: string }
  readonly #draw: Draw
  readonly #files = new Map<string, Acknowledged>()
  /** The short codes of links that a renewal or a deletion has ended. */
  readonly #ended = new Set<string>()
  #client: Client
  /**
   * How often a request was repeated, because its answer was missing, incomplete or a status of 500
   * or above.
   */
  repeated = 0
  stories = 0
  /** How many renewals were answered. */
  renewed = 0

  private constructor(server: { url: string }, draw: Draw, client: Client) {
    this.#server = server
    this.#draw = draw
    this.#client = client
  }

  /** Makes a premium user, who may have any number of files and may renew them. */
  static async join(server: { url: string }, draw: Draw): Promise<CrashPlayer> {
    const { email, password } = await signUp(server)
    const client = makeClient(server, await logIn(server, email, password))
    const trial = await client.post('/api/auth/start-trial')
    if (!trial.ok) throw new Error(`the trial was answered ${trial.status}`)
    return new CrashPlayer(server, draw, client)
  }

  /** How many files the server has acknowledged that were not deleted since. */
  get fileCount(): number {
    return this.#files.size
  }

  /**
   * Plays one story: uploads a file and downloads it. Then renews, deletes or downloads a random
   * file of this user, and checks the list of files.
   */
  async playStory(): Promise<void> {
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

  /**
   * Checks that every acknowledged file is listed and has its bytes, and that every ended link is
   * closed.
   */
  async expectNothingLost(): Promise<void> {
    await this.#expectList()
    for (const file of this.#files.values()) await this.#expectBytes(file)
    for (const code of this.#ended) {
      const { status } = await this.#ask(() => this.#download(code))
      if (status !== 404) throw new Error(`the ended link ${code} was answered ${status}`)
    }
  }

  async #upload(bytes: Buffer<ArrayBuffer>): Promise<Acknowledged> {
    const wish = {
      fileName: 'notes.txt',
      fileSize: bytes.length,
      fileType: 'text/plain',
      expirationDays: '3',
      idempotencyKey: randomUUID(),
    }
    const started = await this.#call<StartedUpload>(() =>
      this.#client.post('/api/files/get-upload-url', wish),
    )
    await this.#sendMissing(started, bytes)
    // Every byte was answered as stored, so the server must not say that the upload is incomplete.
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
    const { parts: held } = await this.#call<{ parts: ListedPart[] }>(() =>
      this.#client.fetch(list),
    )
    const numbers = Array.from({ length: parts.count }, (_, index) => index + 1)
    const missing = numbers.filter((n) => !held.some(({ partNumber }) => partNumber === n))
    await Promise.all(
      missing.map((number) => {
        const piece = bytes.subarray((number - 1) * parts.size, number * parts.size)
        return this.#put(parts.urls[number] ?? '', piece)
      }),
    )
  }

  /**
   * Sends bytes, and repeats that until the server has stored them. If the server says that the
   * upload is sealed, it has them already.
   */
  async #put(url: string, body: Buffer<ArrayBuffer>): Promise<void> {
    const headers = { 'content-type': 'text/plain' }
    const put = () => fetch(url, { method: 'PUT', headers, body, signal: this.#patience() })
    const answer = await this.#ask(put)
    if (answer.ok || (await codeOf(answer)) === 'UPLOAD_SEALED') return
    throw new Error(`a PUT was answered ${answer.status}`)
  }

  async #renew(file: Acknowledged): Promise<void> {
    const before = file.shortCode
    const answer = await this.#once(() =>
      this.#client.fetch(`/api/files/${file.id}/renew`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ expirationDays: '3' }),
      }),
    )
    const listed = (await this.#list()).find(({ id }) => id === file.id)
    if (!listed) throw new Error(`the renewed file ${file.id} is not listed`)
    if (answer && answer.status < 500) {
      const { shortCode } = await this.#ok<File>(answer)
      if (shortCode !== listed.shortCode) throw new Error(`the renewal of ${file.id} is lost`)
      this.renewed += 1
    }
    // If the answer was lost, only the list tells whether the link was renewed.
    file.shortCode = listed.shortCode
    if (before !== file.shortCode) this.#ended.add(before)
    await this.#expectBytes(file)
  }

  async #delete({ id, shortCode }: Acknowledged): Promise<void> {
    const answer = await this.#ask(() =>
      this.#client.fetch(`/api/files/${id}`, { method: 'DELETE' }),
    )
    if (answer.status !== 404) await this.#ok(answer)
    this.#files.delete(id)
    this.#ended.add(shortCode)
  }

  async #expectBytes({ id, shortCode, sha256: expected }: Acknowledged): Promise<void> {
    for (;;) {
      const answer = await this.#ask(() => this.#download(shortCode))
      if (!answer.ok) throw new Error(`the link of the file ${id} was answered ${answer.status}`)
      // If the server is killed, the download breaks off. A client notices that and repeats it.
      const body = await answer.arrayBuffer().catch(() => null)
      if (body === null) {
        this.repeated += 1
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
      throw new Error(`listed are ${listed.join(', ')}; acknowledged were ${expected.join(', ')}`)
    }
  }

  #list(): Promise<File[]> {
    return this.#call(() => this.#client.fetch('/api/files'))
  }

  #download(code: string): Promise<Response> {
    return fetch(`${this.#server.url}/api/download/${code}`, { signal: this.#patience() })
  }

  async #call<T>(request: () => Promise<Response>): Promise<T> {
    return this.#ok<T>(await this.#ask(request))
  }

  async #ok<T>(answer: Response): Promise<T> {
    if (!answer.ok) throw new Error(`${answer.url} was answered ${answer.status}`)
    return json<T>(answer)
  }

  /** Repeats a request until it gets a complete answer with a status below 500. */
  async #ask(request: () => Promise<Response>): Promise<Response> {
    const patience = this.#patience()
    for (;;) {
      const answer = await this.#once(request)
      if (answer && answer.status < 500) return answer
      if (patience.aborted) throw new Error(`no answer but ${answer?.status ?? 'none'}`)
      this.repeated += 1
      await wait(pauseMs)
    }
  }

  /** Sends a request. Returns null if it gets no answer, or an incomplete JSON answer. */
  async #once(request: () => Promise<Response>): Promise<Response | null> {
    try {
      const answer = await request()
      const isJson = answer.headers.get('content-type')?.startsWith('application/json')
      if (!isJson) return answer
      // The body may break off, so it is read here. A broken answer then counts as no answer.
      const { status, headers } = answer
      return new Response(await answer.text(), { status, headers })
    } catch {
      return null
    }
  }

  #patience(): AbortSignal {
    return AbortSignal.timeout(hangMs)
  }
}

async function codeOf(answer: Response): Promise<unknown> {
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => null)
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
}
