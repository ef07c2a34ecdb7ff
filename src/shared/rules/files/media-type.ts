/** A media type as RFC 9110 writes it, without parameters. */
export const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/

/** The longest media type, in characters. */
export const maxMediaTypeLength = 255

/** True for a media type that the server accepts. */
export function isMediaType(text: string): boolean {
  return text.length <= maxMediaTypeLength && mediaType.test(text)
}
