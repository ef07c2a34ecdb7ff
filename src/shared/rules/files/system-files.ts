/**
 * True for a file that operating systems add to folders. Skipped in an uploaded folder, but not if
 * chosen directly.
 */
export function isSystemFile(name: string): boolean {
  return /^(\.ds_store|thumbs\.db|desktop\.ini)$/i.test(name)
}
