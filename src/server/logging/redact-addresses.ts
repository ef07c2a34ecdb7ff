/**
 * What a mail address may look like, also as a part of a path or in an answer of a mail server. The
 * length is limited, so that a long text does not take long to search.
 */
const address = /(?:"[^"\n]{1,254}"|[^\s<>"'`()[\],;:/\\@]{1,254})@[^\s<>"'`()[\],;:/\\@]+/g

/**
 * A list or an object that lies inside this many others becomes `…`. Without this limit,
 * `redactAddresses` would not end where objects refer to each other in a circle.
 */
const deepest = 6

/**
 * Returns a copy of a value that is to be logged, with `…@…` in place of every mail address: in
 * texts, in lists and in the fields of objects and errors.
 */
export function redactAddresses(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(address, '…@…')
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value
  if (depth === deepest) return '…'
  const cleaned = (inner: unknown) => redactAddresses(inner, depth + 1)
  if (Array.isArray(value)) return value.map(cleaned)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [cleaned(name), cleaned(inner)]),
  )
}
