import { tierLimits } from '../../../shared/rules/tier-limits.ts'
import type { Timers } from '../timers.ts'
import { questionTimeoutMs } from '../transfer/next-step.ts'

/** Spec §9: pause between file records. */
const pauseBetweenMs = 500
/** Drops of up to so many files keep to it; in a larger one it would cap small files at two a second. */
const largestPausedDrop = 10
/** How many small files of a large drop are under way together: what a browser opens to one host. */
const overlapping = 6
/** Bytes. A larger file has parts that travel at once: it fills the line by itself. */
const smallFile = 8 * 1024 ** 2
/** Whoever gets more places than this is not limited. */
const mostPlacesOfALimit = Math.max(...Object.values(tierLimits).map((tier) => tier.maxFiles ?? 0))

/** What decides when an upload has its turn. */
export interface Turn {
  id: string
  /** Bytes. */
  size: number
  /** How many files its drop has. */
  dropSize: number
}

/** True for drops whose files overlap, and that are told of as a whole. */
export const isLargeDrop = (dropSize: number): boolean => dropSize > largestPausedDrop

const overlaps = ({ size, dropSize }: Turn) => isLargeDrop(dropSize) && size <= smallFile

/** Who waits and who is under way. */
export interface UploadTurns {
  /** Waits for its turn, behind those that wait already. */
  enqueue(turn: Turn): void
  /** It has its place on the server. */
  placed(id: string): void
  /**
   * Its turn is over, or it waits no longer. While the server may still give it a place nobody else
   * asks for one: the turn lasts until `placeless` settles, 30 s at most.
   * @param placeless settles once it holds no place and gets none; null where that is so already.
   */
  leave(id: string, placeless: Promise<unknown> | null): void
  /** Those that wait, in their order. */
  waiting(): string[]
}

/**
 * Gives uploads their turns. Spec §4: uploads run one after another, with a 500 ms pause between
 * files. Small files of a drop of more than ten overlap and do not pause; but as long as the
 * user may be one whose places are few, each gets its place before the next one asks, so that the first
 * files have them.
 */
export const createTurns = (timers: Timers, start: (id: string) => void): UploadTurns => {
  const waiting = new Map<string, Turn>()
  const underWay = new Map<string, Turn>()
  /** Under way, but without a place yet. */
  const placing = new Set<string>()
  /** Places given since nothing was left to do. */
  let places = 0
  let pausing = false
  /** Those that left, and may be given a place all the same. */
  const leaving = new Set<string>()

  /** Alone, or beside others where all of them have places and may overlap. */
  const mayStart = (turn: Turn): boolean => {
    if (underWay.size === 0) return true
    if (placing.size > 0 && places <= mostPlacesOfALimit) return false
    if (underWay.size >= overlapping || !overlaps(turn)) return false
    return [...underWay.values()].every(overlaps)
  }

  const next = () => {
    while (!pausing) {
      const [first] = waiting.values()
      if (!first || !mayStart(first)) return
      waiting.delete(first.id)
      underWay.set(first.id, first)
      placing.add(first.id)
      start(first.id)
    }
  }

  const over = (id: string) => {
    placing.delete(id)
    const done = underWay.get(id)
    if (!done) return
    underWay.delete(id)
    if (waiting.size === 0 && underWay.size === 0) places = 0
    if (isLargeDrop(done.dropSize) || waiting.size === 0 || pausing) return next()
    pausing = true
    timers.after(pauseBetweenMs, () => {
      pausing = false
      next()
    })
  }

  return {
    enqueue: (turn) => {
      if (waiting.has(turn.id) || underWay.has(turn.id)) return
      waiting.set(turn.id, turn)
      next()
    },
    placed: (id) => {
      if (!placing.delete(id)) return
      places += 1
      next()
    },
    leave: (id, placeless) => {
      waiting.delete(id)
      if (leaving.has(id)) return
      if (!placeless) return over(id)
      leaving.add(id)
      const end = () => {
        callOff()
        leaving.delete(id)
        over(id)
      }
      const callOff = timers.after(questionTimeoutMs, end)
      placeless.then(end, end)
    },
    waiting: () => [...waiting.keys()],
  }
}
