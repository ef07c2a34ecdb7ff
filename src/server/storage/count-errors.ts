import { AppError } from '../errors.ts'
import { SizeMismatch, type Storage } from './storage.ts'

/**
 * The store methods whose errors are counted. `list` is missing, because its callers report its
 * errors.
 */
export const storageOperations = [
  'hasSpaceFor',
  'signUpload',
  'receive',
  'signParts',
  'listParts',
  'storedSize',
  'digest',
  'seal',
  'sendRange',
  'deliver',
  'remove',
  'syncRemovals',
  'installation',
  'claim',
  'check',
  'hasVersioning',
  'clockDifferenceMs',
] as const satisfies (keyof Storage)[]

export type StorageOperation = (typeof storageOperations)[number]

/**
 * Wraps a store so that `onError` is called whenever a method rejects because the store failed.
 * Errors caused by the request itself, such as a size mismatch, don't count.
 */
export function countErrors<S extends Storage>(
  store: S,
  onError: (operation: StorageOperation) => void,
): S {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const operation = storageOperations.find((candidate) => candidate === name)
      return (...args: unknown[]) => {
        const result = Reflect.apply(value, target, args)
        if (name === 'withOrigin') return countErrors(result, onError)
        if (!operation) return result
        return result.catch((error: unknown) => {
          if (isStorageFailure(error)) onError(operation)
          throw error
        })
      }
    },
  })
}

function isStorageFailure(error: unknown): boolean {
  if (error instanceof SizeMismatch) return false
  return !(error instanceof AppError) || error.code === 'UNAVAILABLE'
}
