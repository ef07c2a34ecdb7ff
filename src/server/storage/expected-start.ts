/**
 * Returns the offset at which the answer to a download will begin, where another server sends the
 * bytes: the object storage, or nginx. Returns null if the answer probably has no bytes, or not the
 * first ones: for a HEAD, for a client that already has the file, or for a range from the end.
 * @param header returns a header of the request by its name in lower case.
 */
export function expectedStart(
  method: string | undefined,
  header: (name: string) => string | null | undefined,
): number | null {
  if (method !== 'GET' || header('if-none-match') || header('if-modified-since')) return null
  const [, first] = /^bytes=(\d*)-/i.exec(header('range') ?? 'bytes=0-') ?? [null, '0']
  return first === '' ? null : Number(first)
}
