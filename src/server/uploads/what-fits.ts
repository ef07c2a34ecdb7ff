import type { ErrorCode } from '../../shared/contract/errors.ts'
import { slotHeldMs } from '../../shared/rules/files/kept-times.ts'
import { formatSize, roundSizeDown } from '../../shared/rules/format/file-size.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { roomUnderCap } from './stored-queries.ts'

type SpaceDeps = Pick<Deps, 'clock' | 'db' | 'settings' | 'stores'>

/**
 * Returns how many bytes an upload may have that starts now; null if neither the store nor the
 * administrator's cap sets a bound. Idle uploads would make way, and count as room under the cap.
 * On the disk they do not count, because only reading each of them would tell how many of their
 * bytes have arrived. So a larger upload may fit there.
 */
async function sizeThatFits(deps: SpaceDeps): Promise<number | null> {
  const { clock, db, settings, stores } = deps
  const { mostStored } = (await settings.current()).cap
  const idleBefore = new Date(clock().getTime() - slotHeldMs)
  const [inStore, underCap] = await Promise.all([
    stores.current.room(),
    mostStored === null ? null : roomUnderCap(db, mostStored, idleBefore),
  ])
  const unbounded = Number.POSITIVE_INFINITY
  const least = Math.min(inStore ?? unbounded, underCap ?? unbounded)
  return least === unbounded ? null : least
}

/**
 * Returns the largest file that a user of this tier can upload now, in bytes, if it is smaller than
 * the tier allows; otherwise null. It is rounded down as people read it. So nobody learns from it
 * how much space there is beyond their own limit, or the exact size of what others upload.
 */
export async function largestFileNow(deps: SpaceDeps, tier: Tier): Promise<number | null> {
  const fits = await sizeThatFits(deps)
  const { maxFileSize } = (await deps.settings.limits())[tier]
  return fits === null || fits >= maxFileSize ? null : roundSizeDown(fits)
}

const makeRoom = 'Its operator has to make room. Please try again later.'

/** The texts of a refusal, by whether a smaller file would fit. */
const texts = {
  STORAGE_FULL: {
    smaller: 'This server has too little free space for this file.',
    none: 'This server has no free space left for uploads.',
  },
  STORAGE_CAP_REACHED: {
    smaller: 'This file is more than the administrator of this server still lets it store.',
    none: 'This server stores as much as its administrator allows.',
  },
} satisfies Partial<Record<ErrorCode, object>>

/**
 * Returns the same results of starts, but what was refused for want of space says which size fits
 * now. Call it when the refused uploads no longer count.
 * @param requests in the order of the results.
 */
export async function tellWhatFits<Answer>(
  deps: SpaceDeps,
  requests: readonly { fileSize: number }[],
  results: readonly PromiseSettledResult<Answer>[],
): Promise<PromiseSettledResult<Answer>[]> {
  if (!results.some((result) => spaceCodeOf(result) !== null)) return [...results]
  // If this fails too, the refusals are still the better answer.
  const fits = await sizeThatFits(deps).catch(() => null)
  return results.map((result, at) => {
    const code = spaceCodeOf(result)
    const { fileSize = 0 } = requests[at] ?? {}
    if (code === null || fits === null || fits >= fileSize) return result
    const { smaller, none } = texts[code]
    const why =
      fits === 0 ? none : `${smaller} Files up to ${formatSize(roundSizeDown(fits))} fit now.`
    const reason = new AppError(code, { message: `${why} ${makeRoom}` })
    return { status: 'rejected', reason }
  })
}

/** Returns the code of a refusal for want of space; null for any other result. */
function spaceCodeOf(result: PromiseSettledResult<unknown>): keyof typeof texts | null {
  if (result.status === 'fulfilled' || !(result.reason instanceof AppError)) return null
  const { code } = result.reason
  return code === 'STORAGE_FULL' || code === 'STORAGE_CAP_REACHED' ? code : null
}
