import type { StoredObject } from './storage.ts'

/**
 * Merges two lists of objects, each in the order of its keys, into one list in that order. An
 * object that is in both lists appears once, as the first list has it.
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
      // If an object is in both lists, the entry of the second one is skipped.
      if (one.value.key > other.value.key) yield other.value
      other = await second.next()
    }
  }
}
