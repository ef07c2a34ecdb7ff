import { createHash } from 'node:crypto'

/** Returns the storage key of object number `n`. Sorted keys do not follow the order of `n`. */
export function keyOfObject(n: number): string {
  return createHash('sha256').update(`key ${n}`).digest('hex').slice(0, 26)
}

/** The same as SQL, where `n` is a column. */
export const keyOfRow = "substr(encode(sha256(('key ' || n)::bytea), 'hex'), 1, 26)"
