/**
 * A queue that is fair to clients: it gives out one item of each client in turn. The items of one
 * client keep their order. A client with one item waits for at most one item of each other client.
 */
export class FairQueue<Item> {
  readonly #most: number
  readonly #mostOfOne: number
  /** The items of each client. The client whose item is next comes first. No list is empty. */
  readonly #waiting = new Map<string, Item[]>()
  #size = 0

  /** @param limits how many items may wait together, and how many of one client. */
  constructor(limits: { most: number; mostOfOne: number }) {
    this.#most = limits.most
    this.#mostOfOne = limits.mostOfOne
  }

  /**
   * Adds an item to the queue.
   * @returns the item that had to be left out, if any. It is the new item, or, if the whole queue
   * is full, the newest item of a client that has at least two more waiting items than this client.
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

  /** Removes and returns the next item; undefined when the queue is empty. */
  take(): Item | undefined {
    for (const [client, items] of this.#waiting) {
      const item = items.shift()
      this.#size -= 1
      // This client becomes the last one, after every other client.
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
