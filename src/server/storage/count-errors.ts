import { AppError } from '../errors.ts'
import { SizeMismatch, type Storage } from './storage.ts'

/** Every method of a store that can fail. `list` is not counted: whoever iterates reports it. */
export const storageOperations = [
  'hasSpaceFor',
  'signUpload',
  'signParts',
  'listParts',
  'storedSize',
  'sha256',
  'seal',
  'deliver',
  'signDownload',
  'remove',
  'syncRemovals',
  'installation',
  'claim',
  'check',
  'keepsOldVersions',
  'clockDifferenceMs',
] as const satisfies (keyof Storage)[]

export type StorageOperation = (typeof storageOperations)[number]

/**
 * Returns a store that does the same as `store`, and calls `onError` for each method that rejects
 * because the store failed. An error about the request itself, such as a wrong size, doesn't count.
 */
export function countErrors<S extends Storage>(
  store: S,
  onError: (operation: StorageOperation) => void,
): S {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const operation = storageOperations.find((one) => one === name)
      return (...args: unknown[]) => {
        const result = Reflect.apply(value, target, args)
        if (name === 'under') return countErrors(result, onError)
        if (!operation) return result
        return result.catch((error: unknown) => {
          if (isFailure(error)) onError(operation)
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
