/**
 * The places in the built download page that the server fills in for each link. Each holds plain
 * text, in text or in a double-quoted attribute, so one way of escaping serves all.
 */
export const pageSlots = [
  /** The public origin of this server, the same for all links. */
  'origin',
  'code',
  'name',
  'size',
  'kind',
  'label',
  'tone',
  'until',
  'expiresAt',
  /** createdAt, maxLifetimeAt and the server's own time now, in milliseconds since 1970. */
  'created',
  'max',
  'now',
  'livedWidth',
  'validX',
  'validWidth',
  'renewableX',
  'renewableWidth',
  /**
   * The SHA-256 of the file, in hexadecimal. It appears only inside the section of
   * `ifStart('sha256')`.
   */
  'sha256',
] as const

export type PageSlot = (typeof pageSlots)[number]

/** Returns how a slot is written in the template. */
export function slot(name: PageSlot): string {
  return `{{${name}}}`
}

/**
 * Returns the mark that begins a section of the template. Only some links show the section. The
 * condition is a kind of file, or `sha256` for files with a known SHA-256.
 */
export function ifStart(condition: string): string {
  return `{{#${condition}}}`
}
export function ifEnd(condition: string): string {
  return `{{/${condition}}}`
}
