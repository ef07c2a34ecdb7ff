import type { StoredObject } from './storage.ts'

/**
 * Merges two lists of objects that are each in the order of their keys. An object that is in both
 * comes once, as the first list has it.
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
      // Of an object in both lists the second mention is passed over.
      if (one.value.key > other.value.key) yield other.value
      other = await second.next()
    }
  }
}
