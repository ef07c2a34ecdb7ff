/** A media type as RFC 9110 writes it, without parameters. */
export const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/

/** The longest media type, in characters. */
export const maxMediaTypeLength = 255

/** Whether a text is a media type that the contract takes. */
export const isMediaType = (text: string): boolean =>
  text.length <= maxMediaTypeLength && mediaType.test(text)
