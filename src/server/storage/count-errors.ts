import { AppError } from '../errors.ts'
import { SizeMismatch, type Storage } from './storage.ts'

/** Is called with the name of the `Storage` method that failed. */
export type OnStorageError = (operation: StorageOperation) => void

/** The methods of a store that can reject. */
export type StorageOperation = {
  [Name in keyof Storage]-?: NonNullable<Storage[Name]> extends (
    ...args: never[]
  ) => Promise<unknown>
    ? Name
    : never
}[keyof Storage]

const isOperation: Record<StorageOperation, true> = {
  hasSpaceFor: true,
  signUpload: true,
  signParts: true,
  listParts: true,
  storedSize: true,
  sha256: true,
  seal: true,
  deliver: true,
  signDownload: true,
  remove: true,
  syncRemovals: true,
  installation: true,
  claim: true,
  check: true,
  keepsOldVersions: true,
  clockDifferenceMs: true,
}
/** Every operation that can fail. */
export const storageOperations = Object.keys(isOperation) as StorageOperation[]

/**
 * Returns a store that does the same as `store`, and calls `onError` for each method call that
 * rejects because the store failed. An error about the request itself, such as a wrong size, does
 * not count. An iteration over `list` is not watched: whoever iterates reports its failure.
 */
export function countErrors<S extends Storage>(store: S, onError: OnStorageError): S {
  return new Proxy(store, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver)
      if (typeof value !== 'function' || typeof name !== 'string') return value
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, args)
        if (name === 'under') return countErrors(result as Storage, onError)
        if (!(result instanceof Promise)) return result
        return result.catch((error: unknown) => {
          if (isFailure(error)) onError(name as StorageOperation)
          throw error
        })
      }
    },
  })
}

function isFailure(error: unknown): boolean {
  if (error instanceof SizeMismatch) return false
  return !(error instanceof AppError) || error.status >= 500
}
