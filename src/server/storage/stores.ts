import { AppError } from '../errors.ts'
import type { Storage } from './storage.ts'
import type { StorageName } from './storage-name.ts'

/** The stores of this server. Each row says which of them has its bytes; one takes new uploads. */
export interface Stores {
  /** Where new uploads go. */
  readonly current: Storage
  /** Every store there is, `current` first. */
  readonly all: readonly Storage[]
  /**
   * The store that a row names.
   * @throws {AppError} UNAVAILABLE when this server was not told of it.
   */
  of(name: StorageName): Storage
  /** The same stores; presigned URLs that lead to this server stand under that origin of it. */
  under(origin: string): Stores
}

export function createStores(current: Storage, ...others: Storage[]): Stores {
  const all = [current, ...others]
  return {
    current,
    all,
    of(name) {
      const found = all.find((storage) => storage.name === name)
      if (!found)
        throw new AppError('UNAVAILABLE', { cause: new Error(`the store ${name} is not set up`) })
      return found
    },
    under: (origin) => {
      const [first = current, ...rest] = all.map((storage) => storage.under?.(origin) ?? storage)
      return createStores(first, ...rest)
    },
  }
}
