import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { minuteInMs } from '../../shared/rules/time-units.ts'
import type { SealedObjects } from '../storage/sealed-objects.ts'

/** An object to copy. */
export interface WantedObject {
  key: string
  /** In bytes, exactly. */
  size: number
  /** The SHA-256 that the bytes must have, in hexadecimal; null if nobody has computed it. */
  sha256: string | null
}

/** What became of an object. `altered`: the bytes at the source are not those that are wanted. */
export type Copied =
  | { outcome: 'copied' | 'was there'; sha256: string }
  | { outcome: 'missing' | 'altered' }

type Source = Pick<SealedObjects, 'read'>
type Target = Pick<SealedObjects, 'read' | 'write'>

/** This many objects are copied at the same time. */
const atOnce = 4
/** A copy fails if no byte of an object moves for this long. */
const stallMs = 5 * minuteInMs

/**
 * Copies objects, several at the same time, and yields what became of each, in their order. The
 * memory does not grow with their number or size.
 * @param copy copies one object.
 */
export async function* copyEach<T, Result>(
  objects: AsyncIterable<T>,
  copy: (object: T) => Promise<Result>,
): AsyncGenerator<[T, Result]> {
  let batch: T[] = []
  const copied = async () => {
    const results = await Promise.all(
      batch.map(async (one): Promise<[T, Result]> => [one, await copy(one)]),
    )
    batch = []
    return results
  }
  for await (const object of objects) {
    batch.push(object)
    if (batch.length === atOnce) yield* await copied()
  }
  yield* await copied()
}

/**
 * Copies an object and reads it back, so that its SHA-256 is that of what the target has stored. An
 * object that is there with the same bytes is not written again. Bytes other than those that are
 * wanted are never written.
 * @throws when a store fails. The target then has the whole object or none.
 */
export async function copyObject(wanted: WantedObject, from: Source, to: Target): Promise<Copied> {
  const there = await sha256Of(to, wanted.key)
  if (there !== null) {
    const right = wanted.sha256 ?? (await sha256Of(from, wanted.key))
    if (there === right) return { outcome: 'was there', sha256: there }
  }
  const bytes = await from.read(wanted.key)
  if (bytes === null) return { outcome: 'missing' }
  const checked = new CheckedBytes(wanted)
  try {
    const passed = pipeline(bytes, checked)
    // The errors of both are told by one of them. The other must not be an unhandled rejection.
    await Promise.all([passed, to.write(wanted.key, wanted.size, checked)])
  } catch (error) {
    checked.destroy()
    if (checked.isAltered) return { outcome: 'altered' }
    throw error
  }
  const sha256 = await sha256Of(to, wanted.key)
  if (sha256 === null || sha256 !== checked.sha256) {
    throw new Error(`the store ${wanted.key} was copied to gives other bytes back`)
  }
  return { outcome: 'copied', sha256 }
}

/** Passes the bytes of an object on, and fails at their end where they are not those wanted. */
class CheckedBytes extends Transform {
  readonly #wanted: WantedObject
  readonly #hash = createHash('sha256')
  readonly #stalled = setTimeout(() => this.destroy(new Error('no byte moved in time')), stallMs)
  #size = 0
  sha256: string | null = null
  isAltered = false

  constructor(wanted: WantedObject) {
    super()
    this.#wanted = wanted
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, data: Buffer) => void) {
    this.#stalled.refresh()
    this.#hash.update(chunk)
    this.#size += chunk.length
    done(null, chunk)
  }

  override _flush(done: (error?: Error) => void) {
    this.sha256 = this.#hash.digest('hex')
    const { size, sha256 } = this.#wanted
    this.isAltered = this.#size !== size || (sha256 !== null && this.sha256 !== sha256)
    done(this.isAltered ? new Error('the bytes are not those that are wanted') : undefined)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    clearTimeout(this.#stalled)
    done(error)
  }
}

/** Returns the SHA-256 of what a store gives for a key, or null if it has no such object. */
async function sha256Of(objects: Source, key: string): Promise<string | null> {
  const bytes = await objects.read(key)
  if (bytes === null) return null
  const hash = createHash('sha256')
  await pipeline(bytes as Readable, hash)
  return hash.digest('hex')
}
