/**
 * Predicts at which offset of the file the answer to a download will begin. It is needed where
 * another server sends the bytes: the object storage, or nginx. Returns null for a HEAD, for a
 * conditional request, because its answer may have no bytes, and for a range that counts from the
 * end of the file.
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
