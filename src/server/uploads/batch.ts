import { StoreSilent } from '../storage/storage.ts'

/**
 * How many entries of a batch are worked on in parallel. Work on one entry may open files, or make
 * requests to the bucket.
 */
const mostAtOnce = 16

/** Work on an entry of a batch: the request, and what is known about it so far. */
interface Work<Request> {
  request: Request
}

/**
 * The entries of one call, which are answered each by itself. An error of one entry refuses only
 * this entry.
 */
export class Batch<Request extends object, Answer> {
  readonly #requests: readonly Request[]
  readonly #results = new Map<Request, PromiseSettledResult<Answer>>()

  constructor(requests: readonly Request[]) {
    this.#requests = requests
  }

  answer(request: Request, value: Answer): void {
    this.#results.set(request, { status: 'fulfilled', value })
  }

  refuse(request: Request, reason: unknown): void {
    this.#results.set(request, { status: 'rejected', reason })
  }

  isAnswered(request: Request): boolean {
    return this.#results.get(request)?.status === 'fulfilled'
  }

  isRefused(request: Request): boolean {
    return this.#results.get(request)?.status === 'rejected'
  }

  /**
   * Divides the entries that were not refused yet into rounds. In one round no two entries have the
   * same key. So the later of two such entries finds what the earlier one has done, as if each had
   * come in a call of its own. Entries without a key are all in the first round.
   */
  *rounds(keyOf: (request: Request) => string | undefined): Generator<Request[]> {
    let left = this.#requests.filter((request) => !this.#results.has(request))
    while (left.length > 0) {
      const keys = new Set<string>()
      const [round, others] = partition(left, (request) => {
        const key = keyOf(request)
        const isFirst = key === undefined || !keys.has(key)
        if (key !== undefined) keys.add(key)
        return isFirst
      })
      yield round
      left = others
    }
  }

  /**
   * Does work on entries, on at most `mostAtOnce` of them in parallel. An entry whose work rejects
   * is refused with that error. If a store does not answer in time, the entries that are not begun
   * yet are refused as well. Each of them would wait as long, and the client and the proxy would
   * give up before the call is answered. Returns the results of the others, in the order of the
   * entries.
   */
  async each<W extends Work<Request>, Result>(
    works: readonly W[],
    act: (work: W) => Promise<Result>,
  ): Promise<Result[]> {
    const done = new Map<W, Result>()
    const waiting = works.values()
    let silence: StoreSilent | undefined
    const goOn = async () => {
      for (const work of waiting) {
        try {
          if (silence) throw silence
          done.set(work, await act(work))
        } catch (error) {
          if (error instanceof StoreSilent) silence = error
          this.refuse(work.request, error)
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(mostAtOnce, works.length) }, goOn))
    return works.flatMap((work) => (done.has(work) ? [done.get(work) as Result] : []))
  }

  /** Returns how each entry ended, in the order of the entries. */
  results(): PromiseSettledResult<Answer>[] {
    return this.#requests.map(
      (request) =>
        this.#results.get(request) ?? {
          status: 'rejected',
          reason: new Error('an entry of a batch was not answered'),
        },
    )
  }
}

/** Divides a list into the values that fit and those that do not. */
export function partition<T>(values: readonly T[], fits: (value: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []]
  for (const value of values) (fits(value) ? yes : no).push(value)
  return [yes, no]
}

/**
 * Returns the answer to the only entry of a batch.
 * @throws the error with which it was refused.
 */
export function onlyAnswer<Answer>([only]: readonly PromiseSettledResult<Answer>[]): Answer {
  if (only?.status === 'fulfilled') return only.value
  throw only?.reason
}
