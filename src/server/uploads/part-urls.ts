import { type PartRange, partUrlLifetimeMs } from '../../shared/rules/files/part-plan.ts'
import type { Stores } from '../storage/stores.ts'
import type { Upload } from './queries.ts'

/**
 * Signs a URL for each of these parts, by part number. Each URL is valid for one hour from `now`
 * and for exactly that part's bytes (design §5, upload protocol).
 * @throws {AppError} UNAVAILABLE when the upload's store cannot be reached.
 */
export async function signPartUrls(
  stores: Stores,
  { storageKey, mimeType, storage }: Pick<Upload, 'storageKey' | 'mimeType' | 'storage'>,
  parts: readonly PartRange[],
  now: Date,
): Promise<Record<string, string>> {
  const until = new Date(now.getTime() + partUrlLifetimeMs)
  const grants = parts.map((part) => ({ key: storageKey, mimeType, until, ...part }))
  const urls = await stores.of(storage).signParts(grants)
  return Object.fromEntries(urls.map((url, at) => [String(parts[at]?.partNumber), url]))
}
