import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { PartGrant } from '../storage.ts'
import type { FileDigests } from './file-digests.ts'
import type { Folders } from './folders.ts'
import {
  addPart,
  type BegunPart,
  dropPart,
  type HeldPart,
  HeldParts,
  type Note,
  readNotes,
  readProvedParts,
  type Upload,
} from './held-parts.ts'
import { parseJson } from './parse-json.ts'
import type { ServerLocks } from './server-locks.ts'

/** For how many uploads this server remembers what it has read of their lists. */
const rememberedLists = 1000

/** An upload, as far as this server has read its list. */
interface Known extends Upload {
  /** The first line of the list, which no other list has. */
  head: string
  /** The id in the first line. undefined: a server that was alone has begun the list. */
  listId: string | undefined
  /** How many bytes of the list were read. */
  read: number
  /**
   * Whether this server has begun the list. Only the server that began it computes the SHA-256 of
   * the bytes while they arrive. Otherwise every server would read all bytes.
   */
  isOurs: boolean
}

/**
 * The parts in a folder that several servers use. The list beside the bytes says what has arrived,
 * and each server reads what the others have added before it answers. When a server reads a list
 * for the first time, a part counts only if its bytes have the CRC-32 that its line says, because
 * the line may be from before a crash. Lines that are added later come from running servers, so
 * they count without this check.
 *
 * Each list has an id, and the line of a part names the list that was there when the part was
 * begun. A server that stalls while it begins a list may lose its lock, and remove the list and the
 * bytes that another server has begun meanwhile. The other server then writes its part into a file
 * that is gone. Its line names another list than the one that it is added to, so it does not count.
 */
export class SharedHeldParts extends HeldParts {
  readonly #folders: Folders
  readonly #digests: FileDigests
  readonly #locks: Pick<ServerLocks, 'alone'>
  /** By key. The upload that was needed last is the last entry. */
  readonly #known = new Map<string, Known>()
  /**
   * The last task of this server with the list of each key. The next task with this list waits for
   * it.
   */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(folders: Folders, digests: FileDigests, locks: Pick<ServerLocks, 'alone'>) {
    super()
    this.#folders = folders
    this.#digests = digests
    this.#locks = locks
  }

  override isInParts(key: string): Promise<boolean> {
    return this.#folders.hasParts(key)
  }

  override async begin(grant: PartGrant): Promise<BegunPart> {
    const { key, partNumber, offset } = grant
    const { listId } = await this.#inTurn(key, async () => {
      const upload = (await this.#readOn(key)) ?? (await this.#start(key))
      if (upload.parts.has(partNumber)) {
        await this.#folders.notePart(key, JSON.stringify({ begun: partNumber } satisfies Note))
        await this.#readOn(key)
      }
      return upload
    })
    this.#digests.changing(key, offset)
    const file = await this.#folders.openForPart(key)
    return { file, hold: (crc32) => this.#hold(grant, crc32, listId) }
  }

  async #hold(
    { key, partNumber, offset, size }: PartGrant,
    crc32: number,
    listId: string | undefined,
  ): Promise<void> {
    const part: HeldPart = { partNumber, offset, size, crc32, list: listId }
    await this.#folders.notePart(key, JSON.stringify(part))
    const upload = await this.find(key)
    if (!upload?.parts.has(partNumber)) throw new AppError('UNAVAILABLE')
    if (!upload.isOurs) return
    this.#digests.follow(key, this.#folders.uploadPath(key), upload.prefix.bytes)
  }

  override async discard(key: string): Promise<void> {
    if (!(await this.isInParts(key))) return
    await this.#folders.discardParts(key)
    this.#forget(key)
  }

  override async forget(key: string): Promise<void> {
    await this.#folders.forgetParts(key)
    this.#known.delete(key)
  }

  protected override find(key: string): Promise<Known | undefined> {
    return this.#inTurn(key, () => this.#readOn(key))
  }

  #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(key) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#turns.set(key, turn)
    const end = () => {
      if (this.#turns.get(key) === turn) this.#turns.delete(key)
    }
    turn.then(end, end)
    return turn
  }

  /** Begins the list, unless another server has done so at the same time. */
  #start(key: string): Promise<Known> {
    return this.#locks.alone(`list of ${key}`, async () => {
      const theirs = await this.#readOn(key)
      if (theirs) return theirs
      // Until now this server may have received the upload as a whole file, and hashed its bytes.
      this.#digests.changing(key, 0)
      const listId = randomUUID()
      await this.#folders.startParts(key, headOf(listId))
      const upload = await this.#readOn(key)
      // This server has lost its lock meanwhile, and another server has removed the list.
      if (!upload) throw new AppError('UNAVAILABLE')
      upload.isOurs = upload.listId === listId
      return upload
    })
  }

  /** Reads what was added to the list. Returns undefined when the upload is not in parts. */
  async #readOn(key: string): Promise<Known | undefined> {
    const list = await this.#folders.openParts(key)
    if (!list) {
      this.#forget(key)
      return undefined
    }
    try {
      const known = this.#known.get(key)
      const isSame =
        // A list that was empty when it was read has no first line by which it could be recognised.
        known?.head &&
        (await textOf(list, 0, Buffer.byteLength(known.head))) === known.head &&
        (await this.#folders.hasArriving(key))
      return isSame ? await this.#readTail(key, known, list) : await this.#readFirst(key, list)
    } finally {
      await list.close()
    }
  }

  async #readTail(key: string, known: Known, list: FileHandle): Promise<Known> {
    this.#known.delete(key)
    this.#known.set(key, known)
    const { text, end } = await wholeLines(list, known.read)
    known.read = end
    for (const note of notesOf(known.listId, text)) {
      if ('begun' in note) {
        const part = known.parts.get(note.begun)
        // The thread that computes the SHA-256 may have read bytes of this part after another
        // server began to change them.
        if (part) this.#digests.changing(key, part.offset)
        dropPart(known, note.begun)
      } else addPart(known, note)
    }
    return known
  }

  async #readFirst(key: string, list: FileHandle): Promise<Known | undefined> {
    this.#forget(key)
    const { text, end } = await wholeLines(list, 0)
    const bytes = await this.#folders.openArriving(key)
    const head = text.slice(0, text.indexOf('\n') + 1)
    const listId = idIn(head)
    const upload = await readProvedParts(bytes, notesOf(listId, text))
    // Without the file of the bytes, the upload is not in parts. Another server is just beginning
    // the list and has not made that file yet, or is ending the list and has removed that file
    // first.
    if (!upload) return undefined
    const known = { ...upload, head, listId, read: end, isOurs: false }
    this.#known.set(key, known)
    for (const [old] of this.#known) {
      if (this.#known.size <= rememberedLists) break
      this.#forget(old)
    }
    return known
  }

  /** Forgets what is known of an upload, and how far its bytes were hashed. */
  #forget(key: string): void {
    if (this.#known.delete(key)) this.#digests.changing(key, 0)
  }
}

/** The first line of a list. */
const listHead = z.object({ list: z.string() })

function headOf(listId: string): string {
  return `${JSON.stringify({ list: listId } satisfies z.input<typeof listHead>)}\n`
}

/** Returns the id in the first line of a list; undefined when the line has none. */
function idIn(head: string): string | undefined {
  return listHead.safeParse(parseJson(head)).data?.list
}

/**
 * Returns the notes in these lines of a list, without those of parts that were begun when another
 * list was there. A line without an id is from a server that was alone, or that does not know ids.
 */
function notesOf(listId: string | undefined, text: string): Note[] {
  return readNotes(text).filter(
    (note) => 'begun' in note || note.list === undefined || note.list === listId,
  )
}

/**
 * Reads a list from an offset to its last line break. A line that is not complete yet is read the
 * next time.
 */
async function wholeLines(list: FileHandle, from: number): Promise<{ text: string; end: number }> {
  const { size } = await list.stat()
  const text = await textOf(list, from, Math.max(0, size - from))
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return { text: whole, end: from + Buffer.byteLength(whole) }
}

async function textOf(list: FileHandle, from: number, bytes: number): Promise<string> {
  const { buffer, bytesRead } = await list.read(Buffer.alloc(bytes), 0, bytes, from)
  return buffer.toString('utf8', 0, bytesRead)
}
