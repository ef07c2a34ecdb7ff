import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { minuteInMs } from '../../shared/rules/format/units.ts'
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
/** A copy fails if no byte of an object moves for this long, also while it is read back. */
const stallMs = 5 * minuteInMs

/**
 * Copies objects, several at the same time. Yields each object with the result of `copy`, in the
 * order of `objects`. The memory does not grow with the number or the size of the objects.
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
 * Copies an object, and reads it back from the target. The returned SHA-256 is that of the bytes
 * that were read back. If the target has the same bytes already, nothing is written. If the bytes
 * at the source are not those that are wanted, the target does not store them.
 * @throws when a store fails, or when the target gives back other bytes than it got. If a store
 * failed, the target has the whole object or none.
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
    // If one of the two fails, the other fails too, perhaps later. `Promise.all` handles both, so
    // that neither is an unhandled rejection.
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

/**
 * Passes the bytes of an object on. Fails at the end if their size or SHA-256 is not the wanted
 * one. Fails earlier if no byte passes for `stallMs`.
 */
class CheckedBytes extends Transform {
  readonly #wanted: WantedObject
  readonly #hash = createHash('sha256')
  readonly #stalled = setTimeout(() => this.destroy(stallError()), stallMs)
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
  const stalled = setTimeout(() => bytes.destroy(stallError()), stallMs)
  try {
    for await (const chunk of bytes) {
      stalled.refresh()
      hash.update(chunk)
    }
  } finally {
    clearTimeout(stalled)
  }
  return hash.digest('hex')
}

function stallError(): Error {
  return new Error('no byte moved in time')
}
