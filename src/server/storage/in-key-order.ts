import type { StoredObject } from './storage.ts'

/**
 * Merges two lists sorted by key. An object in both lists appears once, with the entry of the
 * first.
 */
export async function* inKeyOrder(
  first: AsyncGenerator<StoredObject, void>,
  second: AsyncGenerator<StoredObject, void>,
): AsyncGenerator<StoredObject> {
  let [one, other] = await Promise.all([first.next(), second.next()])
  for (;;) {
    if (one.done) {
      if (other.done) return
      yield other.value
      other = await second.next()
    } else if (other.done || one.value.key < other.value.key) {
      yield one.value
      one = await first.next()
    } else {
      // If both lists contain the object, skip the second one's entry.
      if (one.value.key > other.value.key) yield other.value
      other = await second.next()
    }
  }
}
