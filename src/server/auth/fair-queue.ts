/**
 * What waits, in the order of its arrival for each client; clients take turns, so that whoever asks
 * once waits for no more than one turn of everybody else.
 */
export class FairQueue<Item> {
  readonly #most: number
  readonly #mostOfOne: number
  /** By client; whose turn is next comes first. No list is empty. */
  readonly #waiting = new Map<string, Item[]>()
  #size = 0

  /** @param limits how many may wait in all, and how many of one client. */
  constructor(limits: { most: number; mostOfOne: number }) {
    this.#most = limits.most
    this.#mostOfOne = limits.mostOfOne
  }

  /**
   * Lets an item wait.
   * @returns the item there is no room for, if there is one: this one, or, where the queue is full, the
   * newest of a client that has at least two more waiting than this one.
   */
  add(client: string, item: Item): Item | undefined {
    const own = this.#waiting.get(client)?.length ?? 0
    if (own >= this.#mostOfOne) return item
    if (this.#size < this.#most) {
      this.#append(client, item)
      return undefined
    }
    const [greediest, items] = this.#longest()
    if (items.length < own + 2) return item
    const displaced = items.pop()
    this.#size -= 1
    if (items.length === 0) this.#waiting.delete(greediest)
    this.#append(client, item)
    return displaced
  }

  /** The next item, which waits no longer; undefined when none does. */
  take(): Item | undefined {
    for (const [client, items] of this.#waiting) {
      const item = items.shift()
      this.#size -= 1
      // To the end of the row, behind everybody else who waits.
      this.#waiting.delete(client)
      if (items.length > 0) this.#waiting.set(client, items)
      return item
    }
    return undefined
  }

  #append(client: string, item: Item): void {
    const items = this.#waiting.get(client)
    if (items) items.push(item)
    else this.#waiting.set(client, [item])
    this.#size += 1
  }

  #longest(): [string, Item[]] {
    let longest: [string, Item[]] = ['', []]
    for (const entry of this.#waiting) if (entry[1].length > longest[1].length) longest = entry
    return longest
  }
}
