import type { StoredObject } from './storage.ts'

/**
 * Merges two lists sorted by key. If both contain an object, only the first list's entry is kept.
 */
export async function* mergeByKey(
  first: AsyncGenerator<StoredObject, void>,
  second: AsyncGenerator<StoredObject, void>,
): AsyncGenerator<StoredObject> {
  let [left, right] = await Promise.all([first.next(), second.next()])
  for (;;) {
    if (left.done) {
      if (right.done) return
      yield right.value
      right = await second.next()
    } else if (right.done || left.value.key < right.value.key) {
      yield left.value
      left = await first.next()
    } else {
      // If both lists contain the object, skip the second one's entry.
      if (left.value.key > right.value.key) yield right.value
      right = await second.next()
    }
  }
}
